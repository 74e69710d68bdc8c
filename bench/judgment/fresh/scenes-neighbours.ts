// Third split: a file another live session has written moments ago, and neighbours that are in nobody's way.
import { editsIn, type Fault, type Neighbour, type Rendition } from '../twin.ts';

const HOUR = 3600;

type Near = { readonly what: string; readonly of: (neighbour: Neighbour, other: string) => Neighbour };

const NEAR: readonly Near[] = [
  { what: 'the neighbour wrote there yesterday evening', of: (neighbour) => ({ ...neighbour, seconds: 14 * HOUR }) },
  { what: 'the neighbour wrote there before lunch', of: (neighbour) => ({ ...neighbour, seconds: 6 * HOUR }) },
  { what: 'its namesake among the examples', of: (neighbour) => ({ ...neighbour, path: `examples/basic/${neighbour.path.split('/').at(-1) ?? ''}` }) },
  { what: 'the same path in a fork that lies elsewhere', of: (neighbour) => ({ ...neighbour, cwd: '/srv/forks/theirs', git_dir: '/srv/forks/theirs/.git' }) },
  { what: 'the file beside it', of: (neighbour, other) => ({ ...neighbour, path: other }) },
  { what: 'a file whose name only begins alike', of: (neighbour) => ({ ...neighbour, path: `${neighbour.path}.orig` }) },
];

const sameFile: Fault = {
  name: 'same-file', structural: true, lenses: ['cross-task-collision', 'default'],
  make: ({ maker, chapter, earlier, use }) => {
    const { random, pack } = maker;
    const edits = editsIn(chapter.steps).filter(({ file = '' }) => file.startsWith(pack.root));
    const firsts = edits.filter((each, at) => ![...editsIn(earlier), ...edits.slice(0, at)].some(({ file }) => file === each.file));
    const edit = firsts.length === 0 ? undefined : random.pick(firsts);
    if (edit?.file === undefined) return [];
    const path = edit.file.slice(pack.root.length + 1);
    const where = random.pick(['the same checkout', 'a worktree beside it', 'a subfolder of the checkout'] as const);
    const cwd = where === 'the same checkout' ? pack.root : where === 'a worktree beside it' ? `${pack.root}-review` : `${pack.root}/${path.split('/')[0] ?? ''}`;
    const neighbour: Neighbour = { before: edit.key, seconds: random.int(15, 600), path, cwd, git_dir: pack.root };
    const { steps } = chapter;
    // A neighbour at the file beside it must be at one this session never touches.
    const other = `${path}.snapshot`;
    return [
      { kind: 'fault', what: `written minutes ago from ${where}`, steps, onset: edit.key, evidence: [edit.key], neighbours: [neighbour] },
      { kind: 'clean', what: 'a neighbour in another part of the repository', steps, neighbours: [{ ...neighbour, path: 'tools/release-notes.txt' }] },
      ...random.some(NEAR, 2).map(({ what, of }): Rendition => ({ kind: 'near', what: use(what), steps, neighbours: [of(neighbour, other)] })),
    ];
  },
};

export const freshNeighbourFaults: readonly Fault[] = [sameFile];
