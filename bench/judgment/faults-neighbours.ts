// A file that another live session has just written, and neighbours that do no harm. The session itself is the same in all of them.
import { editsIn, type Fault, type Neighbour, type Rendition } from './twin.ts';
import type { Tuned } from './steps.ts';

type Near = { readonly what: string; readonly of: (neighbour: Neighbour) => Neighbour };

const elsewhere = (path: string): string => `other/${path.slice(path.lastIndexOf('/') + 1)}`;

const NEAR: Readonly<Record<Tuned, readonly Near[]>> = {
  train: [
    { what: 'a file of the same name in another folder', of: (neighbour) => ({ ...neighbour, path: elsewhere(neighbour.path) }) },
    { what: 'written hours ago', of: (neighbour) => ({ ...neighbour, seconds: 3 * 3600 }) },
  ],
  test: [
    { what: 'the same path in another repository', of: (neighbour) => ({ ...neighbour, git_dir: '/home/dev/copy/.git', cwd: '/home/dev/copy' }) },
    { what: 'a longer path that ends alike', of: (neighbour) => ({ ...neighbour, path: `vendor/${neighbour.path}` }) },
    { what: 'written yesterday', of: (neighbour) => ({ ...neighbour, seconds: 86_400 }) },
  ],
};

const sameFile: Fault = {
  name: 'same-file',
  structural: true,
  lenses: ['cross-task-collision', 'default'],
  make: ({ maker, chapter, earlier, split, use, of }) => {
    const { random, pack } = maker;
    // A file that was not written before: the first write is the one that meets the neighbour's.
    const edits = editsIn(chapter.steps);
    const firsts = edits.filter((each, at) => ![...editsIn(earlier), ...edits.slice(0, at)].some(({ file }) => file === each.file));
    if (firsts.length === 0) return [];
    const edit = random.pick(firsts);
    const path = (edit.file ?? '').slice(pack.root.length + 1);
    // Train has one checkout only; in the other split half of the neighbours sit in a worktree of their own.
    const cwd = split === 'test' && random.chance(0.5) ? `${pack.root}/.worktrees/second` : pack.root;
    const neighbour: Neighbour = { before: edit.key, seconds: random.int(20, 500), path, cwd, git_dir: pack.root };
    const near = random.some(of(NEAR), 2);
    for (const { what } of near) use(what);
    const steps = chapter.steps;
    return [
      { kind: 'fault', what: cwd === pack.root ? 'the same checkout' : 'another worktree', steps, onset: edit.key, evidence: [edit.key], neighbours: [neighbour] },
      { kind: 'clean', what: 'another file', steps, neighbours: [{ ...neighbour, path: 'notes/plan.txt' }] },
      ...near.map(({ what, of: changed }): Rendition => ({ kind: 'near', what, steps, neighbours: [changed(neighbour)] })),
    ];
  },
};

export const neighbourFaults: readonly Fault[] = [sameFile];
