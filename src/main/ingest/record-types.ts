// The kinds of records and blocks we know: everything else is dropped too, but counted (HAZARDS C3).
import { redact } from '../floor/redact.ts';
import type { Fields } from './transcript.ts';

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

const KNOWN = new Set([
  ...list('assistant user user/meta user/compact-summary sidechain empty queue-operation summary progress'),
  // State of the host's screen and bulk that a resume needs; nothing in them was said.
  ...list('mode permission-mode ai-title custom-title agent-name agent-color agent-setting last-prompt tag pr-link worktree-state'),
  ...list('file-history-snapshot file-history-delta tools-used cost-state atis-latch api-request api-request-shape api-request-blob'),
  ...list('turn_duration stop_hook_summary compact_boundary microcompact_boundary informational local_command api_error away_summary bridge_status').map(
    (subtype) => `system/${subtype}`,
  ),
  ...list(`queued_command hook_success hook_additional_context hook_system_message hook_blocking_error hook_non_blocking_error hook_cancelled
    hook_error_during_execution hook_permission_decision hook_stopped_continuation async_hook_response command_permissions environment model date
    skill_listing agent_listing_delta deferred_tools_delta mcp_instructions_delta session_context prompt_snapshot remote_session_change file
    edited_text_file edited_image_file directory compact_file_reference already_read_file selected_lines_in_ide opened_file_in_ide todo todo_reminder
    task_reminder task_status plan_mode plan_mode_exit plan_mode_reentry plan_file_reference nested_memory relevant_memories diagnostics mcp_resource
    invoked_skills dynamic_skill date_change output_style critical_system_reminder agent_mention teammate_mailbox`).map((type) => `attachment/${type}`),
]);

export const isKnownType = (type: string): boolean => KNOWN.has(type);

/** A name from outside, short, plain and without secrets; small letters alone hold none. */
export const plainName = (name = 'untyped'): string => (/^[a-z_-]{1,60}$/.test(name) ? name : redact(name).replace(/[^\w.-]/g, '?').slice(0, 60));

const BLOCKS = new Set(
  list(`text tool_use tool_result thinking redacted_thinking image document tool_reference server_tool_use web_search_tool_result
    web_fetch_tool_result code_execution_tool_result mcp_tool_use mcp_tool_result container_upload search_result`),
);

export const blocksAreKnown = (blocks: readonly Fields[]): boolean =>
  blocks.every(({ type }) => typeof type === 'string' && BLOCKS.has(type));
