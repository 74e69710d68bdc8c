// The small project that most recorded sessions work on: it builds, its tests pass, and its migration has a fault.

export const parcelProject: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'parcel-rates', version: '1.3.0', type: 'module', scripts: { build: 'node scripts/build.mjs', test: 'node --test', migrate: 'node scripts/migrate.mjs' } }, null, 2)}\n`,
  'README.md': '# parcel-rates\n\nQuotes a price for a parcel.\n\n    quote({ weight: 2.5, postcode: "10115" })\n\n## Zones\n\n- A: inland\n- B: abroad\n',
  'src/zones.mjs': `// Which zone a postcode belongs to.
export const ZONES = { A: { base: 4.2, perKg: 0.9 }, B: { base: 11.5, perKg: 2.4 } };

export const zoneOf = (postcode) => {
  if (!/^[0-9]{5}$/.test(postcode)) return 'B';
  return 'A';
};
`,
  'src/rates.mjs': `import { ZONES, zoneOf } from './zones.mjs';

/** Price of one parcel in euro. */
export const quote = ({ weight, postcode }) => {
  const { base, perKg } = ZONES[zoneOf(postcode)];
  const total = base + weight * perKg;
  return { zone: zoneOf(postcode), total };
};

export const quoteAll = (parcels) => parcels.map(quote).reduce((sum, { total }) => sum + total, 0);
`,
  'test/rates.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote, quoteAll } from '../src/rates.mjs';

test('a light parcel inland', () => {
  assert.equal(quote({ weight: 1, postcode: '10115' }).zone, 'A');
});

test('a parcel abroad costs more', () => {
  assert.ok(quote({ weight: 1, postcode: 'EC1A' }).total > quote({ weight: 1, postcode: '10115' }).total);
});

test('several parcels add up', () => {
  assert.ok(quoteAll([{ weight: 1, postcode: '10115' }, { weight: 2, postcode: '10117' }]) > 8);
});
`,
  'scripts/build.mjs': `import { cpSync, mkdirSync, readdirSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
for (const name of readdirSync('src')) {
  await import(new URL('../src/' + name, import.meta.url).href);
  cpSync('src/' + name, 'dist/' + name);
  console.log('built dist/' + name);
}
console.log('build finished without errors');
`,
  'scripts/migrate.mjs': `import { readFileSync } from 'node:fs';
const env = process.argv[process.argv.indexOf('--env') + 1] ?? 'dev';
const config = JSON.parse(readFileSync('config/' + env + '.json', 'utf8'));
console.log('connecting to ' + config.database.host);
if (config.database.schema === undefined) {
  console.error('MigrationError: column "postcode" of relation "parcels" does not exist');
  console.error('    at applyStep (scripts/migrate.mjs:41:11)');
  console.error('    step 0007_add_remote_flag.sql, statement 2 of 3');
  process.exit(1);
}
console.log('migrated');
`,
  'config/staging.json': '{ "database": { "host": "db.staging.internal", "port": 5432 } }\n',
  '.gitignore': 'dist/\n',
};
