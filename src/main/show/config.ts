// /second-brain-config: every knob with its value and the layer it came from; words for what a change did (SPEC 13).
import { knobRows, rangeWords, type Effective } from '../floor/config.ts';
import { columns, line, wrap } from './plain.ts';

const valueOf = (config: Effective, full: string): unknown => {
  const [group = '', knob] = full.split('.');
  const entry = (config.knobs as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[group];
  return knob === undefined ? entry : entry?.[knob];
};

const words = (value: unknown): string => (typeof value === 'string' ? (value === '' ? '(empty)' : value) : JSON.stringify(value));

/** All knobs, or one group, or one knob with its help. */
export const configText = (config: Effective, which: string | undefined, width: number): string => {
  const rows = [...knobRows()].filter(([full, { group }]) => which === undefined || which === full || which === group);
  if (rows.length === 0) return `There is no knob or group ${line(which ?? '', 60)}. Without a name, config lists them all.`;
  const single = rows.length === 1 ? rows[0] : undefined;
  const problems = config.problems.map((problem) => `! ${wrap(problem, width - 2, '  ')}`);
  if (single !== undefined && which === single[0]) {
    const [full, { knob }] = single;
    return [
      `${full} = ${line(words(valueOf(config, full)), width)} (${config.sources.get(full) ?? 'default'})`,
      wrap(knob.help, width),
      `Takes ${rangeWords(knob)}; default ${words(knob.default)}.`,
      ...(knob.warn === undefined ? [] : [`Mind: ${knob.warn}.`]),
      ...problems,
    ].join('\n');
  }
  return [
    columns(
      rows.map(([full]) => [full, line(words(valueOf(config, full)), Math.max(12, width - 50)), config.sources.get(full) ?? 'default']),
      '',
    ),
    ...problems,
    'Change one: config set <knob> <value> [--global] · back: config reset <knob | group | all> [--global]',
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
      ...(knob.type === 'text' ? { type: 'string' } : {}),
      ...(knob.type === 'choice' ? { enum: knob.choices } : {}),
      ...(knob.type === 'list' ? { type: 'array', items: { enum: knob.choices } } : {}),
      ...(knob.type === 'map' ? { type: 'object' } : {}),
    };
    if (name === '') groups[group] = schema;
    else {
      const entry = (groups[group] ??= { type: 'object', additionalProperties: false, properties: {} }) as { properties: Record<string, unknown> };
      entry.properties[name] = schema;
    }
  }
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Second Brain configuration', type: 'object', additionalProperties: false, properties: { $schema: { type: 'string' }, version: { type: 'integer' }, ...groups } };
};

/** docs/configuration.md, made from the table. */
export const configDocument = (): string => {
  const out = ['# Configuration', '', 'Made from the table of knobs (`npm run docs`). Values can be set with `/second-brain-config set <knob> <value>`, for one workspace or with `--global` for all; numbers and switches also by environment variables (`SECOND_BRAIN_<GROUP>_<KNOB>`).', ''];
  let current = '';
  for (const [full, { group, knob }] of knobRows()) {
    if (group !== current) out.push(`## ${group}`, '', '| knob | default | takes | what it is |', '| --- | --- | --- | --- |');
    current = group;
    const help = `${knob.help}${knob.warn === undefined ? '' : `. Mind: ${knob.warn}`}`;
    out.push(`| \`${full}\` | \`${words(knob.default)}\` | ${rangeWords(knob)} | ${help} |`);
  }
  return `${out.join('\n').replace(/\n## /g, '\n\n## ')}\n`;
};
