// A real MCP server made of the official SDK's own server classes, over stdio or, given a port file, over streamable HTTP.
import { createServer } from 'node:http';
import { renameSync, writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as z from 'zod';

const build = (): McpServer => {
  const server = new McpServer({ name: 'test', version: '1' });
  server.registerTool('echo', { description: 'Says it again.', inputSchema: { text: z.string() }, annotations: { readOnlyHint: true } }, ({ text }) => ({ content: [{ type: 'text', text: `echo ${text}` }] }));
  server.registerTool('write', { description: 'Changes something.', inputSchema: {} }, () => ({ content: [{ type: 'text', text: 'written' }] }));
  server.registerTool('both', { inputSchema: {}, outputSchema: { n: z.number() }, annotations: { readOnlyHint: true } }, () => ({ content: [{ type: 'text', text: '{"n":41}' }], structuredContent: { n: 41 } }));
  server.registerTool('fails', { inputSchema: {}, annotations: { readOnlyHint: true } }, () => ({ isError: true, content: [{ type: 'text', text: 'no luck' }] }));
  server.registerTool('slow', { inputSchema: {}, annotations: { readOnlyHint: true } }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    return { content: [] };
  });
  server.registerTool('size', { inputSchema: { mb: z.number() }, annotations: { readOnlyHint: true } }, ({ mb }) => ({ content: [{ type: 'text', text: 'x'.repeat(mb * 1_000_000) }] }));
  server.registerTool('secret', { inputSchema: {}, annotations: { readOnlyHint: true } }, () => ({ content: [{ type: 'text', text: 'key sk-ant-api03-abcdefghijklmnopqrstuvwx' }] }));
  server.registerTool('env', { inputSchema: {}, annotations: { readOnlyHint: true } }, () => ({ content: [{ type: 'text', text: JSON.stringify({ ...process.env, cwd: process.cwd(), pid: process.pid }) }] }));
  server.registerTool('exit', { inputSchema: {}, annotations: { readOnlyHint: true } }, () => process.exit(3));
  server.registerTool('a tool with spaces and a name that is much longer than any provider takes it', { inputSchema: {}, annotations: { readOnlyHint: true } }, () => ({ content: [] }));
  return server;
};

const portFile = process.argv[2];
if (portFile === undefined) {
  await build().connect(new StdioServerTransport());
} else {
  const http = createServer((request, response) => {
    // Stateless: each request gets a server of its own.
    const transport: unknown = new StreamableHTTPServerTransport({ enableJsonResponse: process.argv[3] === 'json' });
    void build().connect(transport as Transport).then(() => (transport as StreamableHTTPServerTransport).handleRequest(request, response));
  });
  http.listen(0, '127.0.0.1', () => {
    const address = http.address();
    writeFileSync(`${portFile}.new`, String(typeof address === 'object' ? address?.port : ''));
    renameSync(`${portFile}.new`, portFile);
  });
}
