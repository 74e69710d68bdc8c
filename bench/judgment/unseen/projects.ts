// Sixth split: its projects, and the one a session works on.
import type { Maker } from '../maker.ts';
import { SERVED } from './packs-served.ts';
import { SHIPPED } from './packs-shipped.ts';
import type { Project } from './project.ts';

export const UNSEEN_PACKS: readonly Project[] = SHIPPED.flatMap((project, at) => [project, ...SERVED.slice(at, at + 1)]);

export const projectOf = ({ pack }: Maker): Project => {
  const project = UNSEEN_PACKS.find(({ id }) => id === pack.id);
  if (project === undefined) throw new Error(`no project ${pack.id}`);
  return project;
};
