// /second-brain-config: every knob with its value and the layer it came from; words for what a change did (SPEC 13).
import { knobRows, rangeWords, type Effective } from '../floor/config.ts';
import { redact } from '../floor/redact.ts';
import { columns, fit, line } from './plain.ts';

const valueOf = (config: Pick<Effective, 'knobs'>, full: string): unknown => {
  const [group = '', knob] = full.split('.');
  const entry = (config.knobs as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group];
  return knob === undefined ? entry : entry?.[knob];
};

/** A server's environment may hold keys: whatever looks like one is not shown. */
const words = (value: unknown): string => redact(typeof value === 'string' ? (value === '' ? '(empty)' : value) : Array.isArray(value) ? value.join(', ') : JSON.stringify(value));

/** The rows that a name means: all knobs, a group, one knob, or none when it is no name of ours. */
export const knobsOf = (which: string | undefined) => [...knobRows()].filter(([full, { group }]) => which === undefined || which === full || which === group);

/** All knobs, or one group, or one knob with its help. */
export const configText = (config: Effective, which: string | undefined, width: number): string => {
  const rows = knobsOf(which);
  if (rows.length === 0) return fit(noSuchText(which ?? ''), width);
  const single = rows.length === 1 ? rows[0] : undefined;
  const problems = config.problems.map((problem) => `! ${problem}`);
  if (single !== undefined && which === single[0]) {
    const [full, { knob }] = single;
    return fit(
      [
        `${full} = ${line(words(valueOf(config, full)), 2000)} (${config.sources.get(full) ?? 'default'})`,
        `${knob.help.charAt(0).toUpperCase()}${knob.help.slice(1)}.`,
        `Takes ${rangeWords(knob)}; default ${words(knob.default)}.`,
        ...(knob.warn === undefined ? [] : [`Mind: ${knob.warn}.`]),
        ...problems,
      ].join('\n'),
      width,
    );
  }
  return fit(
    [
      columns(
        rows.map(([full]) => [full, line(words(valueOf(config, full)), Math.max(12, width - NAME_AND_LAYER)), config.sources.get(full) ?? 'default']),
        '',
      ),
      ...problems,
      'Change one: config set <knob> <value> [--global] · back: config reset <knob | group | all> [--global]',
    ].join('\n'),
    width,
  );
};

/** Columns that the longest knob's name, the longest layer's name and the gaps take. */
const NAME_AND_LAYER = 48;

/** No knob of this name, and what may have been meant. */
export const noSuchText = (name: string): string => {
  const names = [...knobRows().keys()];
  const asked = name.toLowerCase().split('.').at(-1) ?? '';
  const near = asked.length < 3 ? [] : names.filter((full) => full.includes(asked)).slice(0, 5);
  return `There is no knob or group ${line(name, 60)}.${near.length === 0 ? ' config without a name lists them all.' : ` Did you mean ${near.join(', ')}?`}`;
};

/** What a change of one layer came to: the value now in force, and who overrides it. */
export const changedText = ({ knobs, sources, problems }: Effective, { knob, warn }: { readonly knob: string; readonly warn?: string }, layer: 'global' | 'workspace'): string => {
  const where = layer === 'global' ? 'for all workspaces' : 'for this workspace';
  const known = knobRows().has(knob) && knob !== 'detectors';
  const source = sources.get(knob) ?? 'default';
  const outranked = source === 'env' || (source === 'workspace' && layer === 'global');
  return [
    known ? `${knob} is ${line(words(valueOf({ knobs }, knob)), 400)} (${source}); written ${where}.` : `${knob === 'all' ? 'Everything' : knob} is changed ${where}.`,
    ...(known && outranked ? [`Another layer decides here: ${source === 'env' ? `SECOND_BRAIN_${knob.replace('.', '_').toUpperCase()} in the environment` : 'this workspace’s own'}.`] : []),
    ...(knob === 'mute.all' && knobs.mute.all && source !== layer ? [`It is still muted by the ${source} layer.`] : []),
    ...(warn === undefined ? [] : [`Mind: ${warn}.`]),
    knob === 'mute.all' || knob.startsWith('enable') ? 'It takes effect within a second.' : 'It takes effect at the next pass.',
    ...problems.map((problem) => `! ${problem}`),
  ].join('\n');
};

/** A reset of what the layer does not hold: what is in force, and from where. */
export const unsetText = ({ knobs, sources }: Effective, what: string, layer: 'global' | 'workspace'): string => {
  const source = sources.get(what);
  const known = what !== 'detectors' && source !== undefined;
  return [
    `Nothing changed: ${what === 'all' ? 'nothing is set' : `${line(what, 60)} is not set`} ${layer === 'global' ? 'for all workspaces' : 'for this workspace alone'}.`,
    ...(known ? [`It is ${line(words(valueOf({ knobs }, what)), 400)} (${source}).`] : []),
    ...(source === 'global' && layer === 'workspace' ? ['With --global it is reset for all workspaces.'] : []),
    ...(source === 'workspace' && layer === 'global' ? ['Without --global it is reset for this workspace.'] : []),
  ].join('\n');
};

/** The JSON Schema of a config document, for completion in editors. */
export const configSchema = (): unknown => {
  const groups: Record<string, unknown> = {};
  for (const [, { group, name, knob }] of knobRows()) {
    const schema = {
      description: knob.help,
      ...(name === '' ? {} : { default: knob.default }),
      ...(knob.type === 'int' || knob.type === 'number' ? { type: knob.type === 'int' ? 'integer' : 'number', minimum: knob.min, maximum: knob.max } : {}),
      ...(knob.type === 'bool' ? { type: 'boolean' } : {}),
      ...(knob.type === 'text' || knob.type === 'path' ? { type: 'string' } : {}),
      ...(knob.type === 'choice' ? { enum: knob.choices } : {}),
      ...(knob.type === 'list' ? { type: 'array', items: { enum: knob.choices } } : {}),
      ...(knob.type === 'map' ? { type: 'object' } : {}),
      ...(knob.type === 'switches' ? { type: 'object', additionalProperties: { type: 'boolean' } } : {}),
    };
    if (name === '') groups[group] = schema;
    else {
      const entry = (groups[group] ??= { type: 'object', additionalProperties: false, properties: {} }) as { properties: Record<string, unknown> };
      entry.properties[name] = schema;
    }
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Second Brain configuration', type: 'object', additionalProperties: false, properties: { $schema: { type: 'string' }, version: { type: 'integer' }, ...groups } };
};

const INTRODUCTION = `# Configuration

Every number that trades cost, noise or freshness is a knob. This page is made from the one table of them (\`npm run docs\`).

\`\`\`
/second-brain-config                            every value with the layer it comes from
/second-brain-config gate                       one group, or one knob with its help
/second-brain-config set gate.rate_per_hour 2   for this workspace
/second-brain-config set --global mute.all true for all of them
/second-brain-config reset gate                 a knob, a group or all, back to what lies below
\`\`\`

From a shell the same words follow \`second-brain config\`. A value that is out of range changes nothing and says what would be right. Changes take effect at the next pass; mute and enrolment within a second.

**Layers**, lowest first: built-in · the plugin's options (provider and model) · global (\`config.json\`) · workspace (\`workspaces/<hash>.json\`, for the repository's root) · environment (\`SECOND_BRAIN_<GROUP>_<KNOB>\`, numbers and switches only, since a repository's settings can set any variable; it may lower a budget and switch watching off, not the reverse: [why](decisions/0003-environment.md)). A mute in any layer mutes. Single fields of a detector are set as \`detectors.<name>.<field>\`; see [detectors](detectors.md).

The files are plain JSON in the plugin's data directory and may be edited by hand. They name a JSON Schema beside them, so editors complete and check them. A file that is broken keeps its last good values in force and is never overwritten; the fault shows in \`config\` and \`doctor\`.
`;

/** docs/configuration.md, made from the table. */
export const configDocument = (): string => {
  const out: string[] = [];
  let current = '';
  for (const [full, { group, knob }] of knobRows()) {
    if (group !== current) out.push('', `## ${group}`, '', '| knob | default | takes | what it is |', '| --- | --- | --- | --- |');
    current = group;
    const help = `${knob.help}${knob.warn === undefined ? '' : `. Mind: ${knob.warn}`}`;
    out.push(`| \`${full}\` | \`${words(knob.default)}\` | ${rangeWords(knob)} | ${help} |`);
  }
  return `${INTRODUCTION}${out.join('\n')}\n`;
};
