// `schema` and `docs`: the knobs as a JSON Schema, and as the document in docs/.
import { configDocument, configSchema } from '../show/config.ts';

export const schemaCommand = (): Promise<number> => {
  process.stdout.write(`${JSON.stringify(configSchema(), null, 2)}\n`);
  return Promise.resolve(0);
};

export const docsCommand = (): Promise<number> => {
  process.stdout.write(configDocument());
  return Promise.resolve(0);
};
