// What is kept of a call's arguments: one row a tool (SPEC 5.3). Texts come in redacted and leave in a fixed rendering.
import type { ProjectionLimits } from '../../workers/contract.ts';
import { countLines, headOf, tailOf } from '../floor/text.ts';
import { renderArguments } from './arguments.ts';
import { keepCommand, keepHead, mark, sealCommand, sealedMark } from './elision.ts';
import { isSealed } from './sealed.ts';
import { fieldsOf, listAt, numberAt, textAt, type Fields, type RecordContext } from './transcript.ts';

export type CallContext = Pick<RecordContext, 'limits' | 'clean'>;

/** A call as it is observed; `text` follows the tool's name, on its line or below it. */
export type CallParts = {
  readonly text: string;
  readonly command?: string;
  readonly paths?: readonly string[];
  readonly writes?: true;
};

type Rule = (input: Fields, context: CallContext) => CallParts;

/** The row for `tool`. */
export const ruleFor = (tool: string): Rule => {
  if (tool.startsWith('mcp__')) return whole;
  return Object.hasOwn(RULES, tool) ? (RULES[tool] ?? rest) : rest;
};

const PLAN_HEAD = 1200;
const EDITS_SHOWN = 4;
const COMMAND_KEPT = 4000;

const bash: Rule = (input, { limits, clean }) => {
  const command = sealCommand(clean(textAt(input, 'command') ?? ''), (path) => isSealed(path, limits.sealed));
  const kept = keepCommand(command, limits);
  const words = `${described(input, clean, limits)}${input['run_in_background'] === true ? ' (in background)' : ''}`;
  const inline = words === '' && !kept.includes('\n');
  return { text: inline ? ` ${kept}` : `${words}\n${kept}`, ...(command === '' ? {} : { command: headOf(command, COMMAND_KEPT) }) };
};

const edit: Rule = (input, context) => {
  const { limits, clean } = context;
  const path = pathOf(input, clean);
  const edits = Array.isArray(input['edits']) ? listAt(input, 'edits').map(fieldsOf) : [input];
  const bodies = edits.map((one) => ({
    added: clean(textAt(one, 'new_string') ?? textAt(one, 'new_source') ?? ''),
    removed: clean(textAt(one, 'old_string') ?? ''),
  }));
  const plus = bodies.reduce((lines, { added }) => lines + countLines(added), 0);
  const minus = bodies.reduce((lines, { removed }) => lines + countLines(removed), 0);
  const cell = textAt(input, 'cell_id');
  const mode = textAt(input, 'edit_mode');
  const lead = [
    ` ${path}`,
    cell === undefined ? '' : ` cell ${headOf(clean(cell), limits.default_cap)}`,
    mode === undefined ? '' : ` ${headOf(clean(mode), limits.default_cap)}`,
    ` (+${plus} -${minus}${input['replace_all'] === true ? ', every occurrence' : ''})`,
  ].join('');
  if (isSealed(path, limits.sealed)) return { text: `${lead}\n${sealedMark(bodies.map(({ added }) => added).join('\n'))}`, paths: [path], writes: true };
  const shown = [lead];
  for (const { added, removed } of bodies.slice(0, EDITS_SHOWN)) shown.push(...side('+', added, limits.edit_new, limits.harvest_max), ...side('-', removed, limits.edit_old, limits.harvest_max));
  const more = bodies.slice(EDITS_SHOWN).map(({ added, removed }) => `${added}\n${removed}`);
  const unshown = more.join('\n');
  if (more.length > 0) shown.push(`${more.length} more edits ${mark(unshown, 0, unshown.length, limits.harvest_max)}`);
  return { text: shown.join('\n'), paths: [path], writes: true };
};

/** The head of one side of an edit, each line with its sign. */
const side = (sign: '+' | '-', body: string, cap: number, harvestMax: number): readonly string[] =>
  body === '' ? [] : keepHead(body.endsWith('\n') ? body.slice(0, -1) : body, cap, harvestMax).split('\n').map((line) => `${sign} ${line}`);

const write: Rule = (input, { limits, clean }) => {
  const path = pathOf(input, clean);
  const content = clean(textAt(input, 'content') ?? '');
  const size = `${countLines(content)} lines, ${Buffer.byteLength(content)} bytes`;
  const body = isSealed(path, limits.sealed) ? sealedMark(content) : keepHead(content, limits.write_head, limits.harvest_max);
  return { text: ` ${path} (${size})${content === '' ? '' : `\n${body}`}`, paths: [path], writes: true };
};

const agent: Rule = (input, { limits, clean }) => {
  const type = clean(textAt(input, 'subagent_type') ?? 'general-purpose');
  const prompt = keepHead(clean(textAt(input, 'prompt') ?? ''), limits.agent_prompt, limits.harvest_max);
  return { text: ` ${headOf(type, 80)}${described(input, clean, limits)}${input['run_in_background'] === true ? ' (in background)' : ''}\n${prompt}` };
};

const read: Rule = (input, { limits, clean }) => {
  const path = pathOf(input, clean);
  const from = numberAt(input, 'offset');
  const lines = numberAt(input, 'limit');
  const range = from === 0 && lines === 0 ? '' : `:${Math.max(1, from)}${lines === 0 ? '-' : `-${Math.max(1, from) + lines - 1}`}`;
  const pages = textAt(input, 'pages');
  return { text: ` ${path}${range}${pages === undefined ? '' : ` pages ${headOf(clean(pages), limits.default_cap)}`}`, paths: [path] };
};

const whole: Rule = (input, { limits, clean }) => {
  const path = pathOf(input, clean);
  return { text: keepHead(clean(renderArguments(input)), limits.text_cap, limits.harvest_max), ...(path === '' ? {} : { paths: [path] }) };
};

/** Locators whole and first, then the rest, capped. */
const rest: Rule = (input, { limits, clean }) => {
  const path = pathOf(input, clean);
  const locators = keepHead(clean(renderArguments(input, 'locators')), limits.text_cap, limits.harvest_max);
  const others = keepHead(clean(renderArguments(input, 'others')), limits.default_cap, limits.harvest_max);
  return { text: `${locators}${others}`, ...(path === '' ? {} : { paths: [path] }) };
};

const plan: Rule = (input, { limits, clean }) => ({ text: `\n${keepHead(clean(textAt(input, 'plan') ?? ''), PLAN_HEAD, limits.harvest_max)}` });

const SIGN_OF: Fields = { completed: '[x]', in_progress: '[~]', pending: '[ ]' };

const todos: Rule = (input, { limits, clean }) => {
  const items = listAt(input, 'todos').map((raw) => {
    const item = fieldsOf(raw);
    return `${textAt(SIGN_OF, textAt(item, 'status') ?? '') ?? '[ ]'} ${textAt(item, 'content') ?? textAt(item, 'subject') ?? ''}`;
  });
  return { text: `\n${keepHead(clean(items.join('\n')), limits.text_cap, limits.harvest_max)}` };
};

const question: Rule = (input, { limits, clean }) => {
  const lines = listAt(input, 'questions').map((raw) => {
    const one = fieldsOf(raw);
    const options = listAt(one, 'options').map((option) => (typeof option === 'string' ? option : (textAt(fieldsOf(option), 'label') ?? '')));
    return `${textAt(one, 'question') ?? ''}${options.length === 0 ? '' : ` (${options.join(' / ')})`}`;
  });
  return { text: `\n${keepHead(clean(lines.join('\n')), limits.text_cap, limits.harvest_max)}` };
};

const RULES: Readonly<Record<string, Rule>> = {
  Bash: bash,
  Edit: edit,
  MultiEdit: edit,
  NotebookEdit: edit,
  Write: write,
  Agent: agent,
  Task: agent,
  Read: read,
  NotebookRead: read,
  Glob: whole,
  Grep: whole,
  LS: whole,
  ExitPlanMode: plan,
  TodoWrite: todos,
  AskUserQuestion: question,
  // TaskCreate, TaskUpdate, WebFetch, WebSearch, Skill, SendMessage and whatever comes: `rest`, whose locators are theirs.
};

/** No system has longer ones; the end says which file it is, and whether it is sealed. */
const PATH_CHARS = 4096;

const pathOf = (input: Fields, clean: (text: string) => string): string =>
  tailOf(clean(textAt(input, 'file_path') ?? textAt(input, 'notebook_path') ?? textAt(input, 'path') ?? ''), PATH_CHARS);

const described = (input: Fields, clean: (text: string) => string, { default_cap, harvest_max }: ProjectionLimits): string => {
  const words = textAt(input, 'description');
  return words === undefined ? '' : ` — "${keepHead(clean(words), default_cap, harvest_max)}"`;
};
