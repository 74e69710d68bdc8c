// What a tool call waits for: the guard without mail, the hook with mail, and eight of each at once.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, median, pairOf, timeProcess } from './measure.ts';
import type { Options, Result } from './report.ts';
import { putMail } from '../src/main/speak/mailbox-file.ts';
import { writeTurn } from '../src/main/speak/turn-file.ts';
import { makeAdvice, makeTurn, makeWorld, said, sample, takeLease } from '../test/support/hook-run.ts';

const AT_ONCE = 8;

export const measureHook = async ({ quick, plugin, folder, say }: Options): Promise<Result> => {
  say('hooks');
  const [short, long, rounds] = quick ? [20, 3, 11] : [200, 24, 9];
  const world = makeWorld();
  takeLease(world);
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');
  const guard = join(plugin, 'dist', 'guard.sh');
  const payload = join(folder, 'payload.json');
  writeFileSync(payload, JSON.stringify(sample('PostToolUse.Bash', { session_id: world.session, cwd: world.project })).padEnd(2048));
  mkdirSync(world.paths.mailbox(world.session), { recursive: true });

  // A shell starts them, since its forks cost less than node's; each call reads the payload as its input.
  const loop = (count: number, command: string): Promise<number> =>
    timeProcess({ file: '/bin/sh', args: ['-c', `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); ${command}; done`], env: world.env }).then((ms) => ms / count);
  const together = (command: string): Promise<number> =>
    timeProcess({ file: '/bin/sh', args: ['-c', `i=0; while [ $i -lt ${AT_ONCE} ]; do i=$((i+1)); { ${command}; } & done; wait`], env: world.env });

  /** Sessions with one advisory each: a call claims it, so each call needs its own. */
  let sessions = 0;
  const withMail = (count: number): string => {
    const from = sessions;
    sessions += count;
    for (let n = from; n < sessions; n += 1) {
      const session = `bench-${n + 1}`;
      const advice = makeAdvice({ session });
      writeTurn(world.paths.turn(session), makeTurn());
      putMail(world.paths.mailbox(session), advice, said(advice));
      writeFileSync(join(folder, `${session}.json`), JSON.stringify(sample('PostToolUse.Bash', { session_id: session, cwd: world.project })).padEnd(2048));
    }
    return `s=bench-$((${from}+i)); CLAUDE_CODE_SESSION_ID=$s sh ${guard} ${world.data} PostToolUse <${folder}/$s.json >${folder}/said`;
  };
  const silent = `sh ${guard} ${world.data} PostToolUse <${payload} >/dev/null`;
  const nothing = `sh -c : <${payload} >/dev/null`;
  const node = `${process.execPath} ${empty} <${payload} >/dev/null`;
  try {
    const one = await inTurn(rounds, {
      nothing: () => loop(short, nothing),
      silent: () => loop(short, silent),
      node: () => loop(long, node),
      mail: () => loop(long, withMail(long)),
    });
    const eight = await inTurn(rounds, {
      nothing: () => together(nothing),
      silent: () => together(silent),
      node: () => together(node),
      mail: () => together(withMail(AT_ONCE)),
    });
    const beside = (ours: readonly number[], limit: readonly number[]) => (quick ? pairOf(ours, limit) : { ours: median(ours), limit: median(limit) });
    const [silentOne, mailOne, silentEight, mailEight] = [beside(one.silent, one.nothing), beside(one.mail, one.node), beside(eight.silent, eight.nothing), beside(eight.mail, eight.node)];
    return {
      name: 'hook',
      title: 'Hooks: what a tool call waits for',
      method:
        `The built guard.sh and hook.cjs as processes with a payload of 2 kB on their input, started by one shell in loops of ${short} (sh) and ${long} (node), medians of ${rounds} interleaved rounds; each call with mail claims and prints an advisory of its own. ` +
        'NODE_EXTRA_CA_CERTS is unset for all: where it is set, node 20 alone takes tens of milliseconds longer to start, which the guard spares itself.',
      lines: [
        { what: 'PostToolUse, no mail', unit: 'ms', ours: silentOne.ours, limit: { what: 'sh -c :', value: silentOne.limit }, goal: { of: 'ratio', max: 3 }, usual: 2.3 },
        { what: 'PostToolUse, mail claimed and printed', unit: 'ms', ours: mailOne.ours, limit: { what: 'node empty.cjs', value: mailOne.limit }, goal: { of: 'ratio', max: 1.2 }, usual: 1.25 },
        { what: `${AT_ONCE} at once, no mail`, unit: 'ms', ours: silentEight.ours, limit: { what: `${AT_ONCE} × sh -c :`, value: silentEight.limit }, goal: { of: 'ratio', max: 3 }, usual: 1.5 },
        { what: `${AT_ONCE} at once, mail for each`, unit: 'ms', ours: mailEight.ours, limit: { what: `${AT_ONCE} × node empty.cjs`, value: mailEight.limit }, goal: { of: 'ratio', max: 1.3 }, usual: 1.35 },
      ],
    };
  } finally {
    world.remove();
  }
};
