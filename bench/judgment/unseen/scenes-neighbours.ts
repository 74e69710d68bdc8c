// Sixth split: a file that another live session wrote minutes ago, and neighbours that are in nobody's way.
import { editsIn, type Fault, type Neighbour, type Rendition } from '../twin.ts';

const HOUR = 3600;

/** Where the other session sits: in the same folder, or in a worktree of the same repository. */
const SEATS: readonly { readonly what: string; readonly cwd: (root: string) => string; readonly low: number; readonly high: number }[] = [
  { what: 'next to it, moments ago', cwd: (root) => root, low: 5, high: 60 },
  { what: 'next to it, minutes ago', cwd: (root) => root, low: 120, high: 600 },
  { what: 'in a worktree inside', cwd: (root) => `${root}/.claude/worktrees/second`, low: 10, high: 500 },
  { what: 'in a worktree beside', cwd: (root) => `${root}-hotfix`, low: 10, high: 500 },
  { what: 'in a worktree far away', cwd: (root) => `/tmp/wt/${root.slice(root.lastIndexOf('/') + 1)}`, low: 10, high: 500 },
  { what: 'in a folder of the same checkout', cwd: (root) => `${root}/tools`, low: 30, high: 400 },
];

const NEAR: readonly { readonly what: string; readonly of: (neighbour: Neighbour) => Neighbour }[] = [
  { what: 'the day before', of: (neighbour) => ({ ...neighbour, seconds: 26 * HOUR }) },
  { what: 'three days ago', of: (neighbour) => ({ ...neighbour, seconds: 73 * HOUR }) },
  { what: 'a file of the same name in a folder nobody else touches', of: (neighbour) => ({ ...neighbour, path: `archive/${nameOf(neighbour)}` }) },
  { what: 'the same path in a clone of its own', of: (neighbour) => ({ ...neighbour, cwd: `${neighbour.cwd}-clone`, git_dir: `${neighbour.cwd}-clone` }) },
  { what: 'the same path in another project', of: (neighbour) => ({ ...neighbour, cwd: '/home/dev/other/site', git_dir: '/home/dev/other/site' }) },
  { what: 'a backup copy of it', of: (neighbour) => ({ ...neighbour, path: `${neighbour.path}.orig` }) },
  { what: 'the same path below a vendored copy', of: (neighbour) => ({ ...neighbour, path: `third_party/self/${neighbour.path}` }) },
  { what: 'a new file beside it', of: (neighbour) => ({ ...neighbour, path: neighbour.path.replace(nameOf(neighbour), `draft_${nameOf(neighbour)}`) }) },
];

const nameOf = ({ path }: Neighbour): string => path.slice(path.lastIndexOf('/') + 1);

const sameFile: Fault = {
  name: 'same-file', structural: true, lenses: ['cross-task-collision', 'default'],
  make: ({ maker, chapter, earlier }) => {
    const { random, pack, templates } = maker;
    const edits = editsIn(chapter.steps);
    // A file that was not written before, so that this is where the two meet.
    const first = edits.find(({ file }, at) => [...editsIn(earlier), ...edits.slice(0, at)].every((each) => each.file !== file));
    if (first?.file === undefined || !first.file.startsWith(`${pack.root}/`)) return [];
    const seat = random.pick(SEATS);
    const neighbour: Neighbour = { before: first.key, seconds: random.int(seat.low, seat.high), path: first.file.slice(pack.root.length + 1), cwd: seat.cwd(pack.root), git_dir: pack.root };
    const alone = random.pick(ALONE);
    const near = random.some(NEAR, 2);
    for (const { what } of [seat, ...near]) templates.add(`unseen: ${what}`);
    templates.add(`unseen: ${alone}`);
    const { steps } = chapter;
    return [
      { kind: 'fault', what: seat.what, steps, onset: first.key, evidence: [first.key], neighbours: [neighbour] },
      { kind: 'clean', what: 'other files', steps, neighbours: [{ ...neighbour, path: alone }] },
      ...near.map(({ what, of }): Rendition => ({ kind: 'near', what, steps, neighbours: [of({ ...neighbour, cwd: pack.root })] })),
    ];
  },
};

/** Files no session of any project writes. */
const ALONE = ['docs/notes/meeting.md', 'scripts/release.sh', 'assets/logo.svg', 'infra/main.tf', 'benchmarks/run.txt', 'tools/seed.sql', 'LICENSE', 'design/sketch.excalidraw'];

export const unseenNeighbourFaults: readonly Fault[] = [sameFile];
