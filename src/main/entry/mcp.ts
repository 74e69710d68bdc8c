// The bundle that holds all MCP code: the monitor loads it only once a detector has been granted a server (SPEC 3).
export { openMcp } from '../pass/mcp-client.ts';
