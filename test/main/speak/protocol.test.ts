// The claim protocol under random interleavings: hooks (twice at once, crashing, in subagents), prompts, interrupts, bells,
// mutes, a monitor that reads late and restarts. Session state, claim, gate and delivery are the real functions.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { metAt, next, settled as settle, type Session } from '../../../src/main/ingest/session-state.ts';
import type { Proof, ReadEvent, Signal } from '../../../src/main/records.ts';
import type { TurnFile } from '../../../src/main/surfaces.ts';
import { expiredBecause, select, type SpeakingEvent } from '../../../src/main/speak/claim.ts';
import { noDeliveries, settle as settleClaims, type DeliveryState } from '../../../src/main/speak/delivery.ts';
import type { Claim, Mail } from '../../../src/main/speak/envelope.ts';
import { mayHold, mayRing, mayWake, type Firing, type GateFacts } from '../../../src/main/speak/finish-gate.ts';
import { HOST, mail, NOW, turn } from '../../support/mail.ts';

type Action =
  | { readonly do: 'put'; readonly human_only: boolean; readonly finish_gate: boolean; readonly foreign: boolean; readonly stale: boolean; readonly ttl: number }
  | { readonly do: 'tool'; readonly subagent: boolean; readonly twice: boolean; readonly fate: Fate; readonly answers: boolean }
  | { readonly do: 'prompt'; readonly twice: boolean; readonly fate: Fate; readonly blocked: boolean }
  | { readonly do: 'stop'; readonly twice: boolean; readonly fate: Fate }
  | { readonly do: 'interrupt' | 'mute' | 'restart' | 'ring' | 'answer' }
  | { readonly do: 'tick'; readonly share: number }
  | { readonly do: 'wait'; readonly ms: number };

/** What becomes of an answer: it lands and leaves its record, or it is lost, or the hook dies between claim and print. */
type Fate = 'lands' | 'lost' | 'crash';

const fate = fc.constantFrom<Fate>('lands', 'lands', 'lost', 'crash');
const bool = fc.boolean();
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('put' as const), human_only: fc.boolean(), finish_gate: bool, foreign: fc.nat(9).map((n) => n === 0), stale: fc.nat(4).map((n) => n === 0), ttl: fc.constantFrom(5, 60, 1800) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('tool' as const), subagent: fc.nat(3).map((n) => n === 0), twice: bool, fate, answers: fc.nat(4).map((n) => n === 0) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('prompt' as const), twice: bool, fate, blocked: fc.nat(5).map((n) => n === 0) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('stop' as const), twice: bool, fate }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('interrupt' as const, 'mute' as const, 'restart' as const, 'ring' as const, 'answer' as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('tick' as const), share: fc.constantFrom(0, 0.5, 1, 1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 2500, 70_000, 4_000_000) }) },
);

/** The host, the files and the monitor in one. `landed` is the truth that the protocol must not see twice. */
class World {
  now = NOW;
  box: Mail[] = [];
  claims: Claim[] = [];
  disk: (ReadEvent | Proof)[] = [];
  session: Session = metAt(NOW);
  deliveries: DeliveryState = noDeliveries;
  file: TurnFile = turn({ state: 'unknown' });
  muted = false;
  working = false;
  continuing = false;
  prompt = '';
  seen: string[] = [];
  fired: Firing[] = [];
  bell = false;
  wakeUsed = false;
  counter = 0;
  readonly landed = new Map<string, number>();
  readonly confirmed = new Map<string, number>();

  step(action: Action): void {
    this.now += 300;
    switch (action.do) {
      case 'put': {
        this.counter += 1;
        const changes = { id: `sb-${String(this.counter).padStart(8, '0')}`, host_pid: action.foreign ? 1 : HOST, human_only: action.human_only, finish_gate: action.finish_gate, confidence: 0.9, stale_if: action.stale ? ['npm test'] : [], generated_at: this.now, enqueued_at: this.now, ttl: action.ttl };
        this.box.push(mail(changes));
        return;
      }
      case 'tool':
        return this.tool(action);
      case 'prompt':
        return this.promptTyped(action);
      case 'stop':
        return this.stop(action);
      case 'interrupt':
        if (!this.working) return;
        this.disk.push({ kind: 'interrupt', at: this.now });
        this.working = false;
        this.continuing = false;
        return;
      case 'mute':
        this.muted = !this.muted;
        return;
      case 'restart':
        this.session = metAt(this.now);
        this.deliveries = noDeliveries;
        return;
      case 'ring': {
        const idle = settle(this.session, this.now);
        const verdict = mayRing(this.box, { ...this.gate(), idle_since: idle.state === 'idle' ? idle.since : undefined, wake: 'finish_gate', bell_outstanding: this.bell });
        if (!verdict.speak) return;
        expect(this.file.state).toBe('idle');
        this.bell = true;
        return;
      }
      case 'answer':
        return this.answerBell();
      case 'tick':
        return this.tick(action.share);
      case 'wait':
        this.now += action.ms;
    }
  }

  /** One or two copies of a hook: both look before either claims. */
  drain(event: SpeakingEvent, ref: string, copies: number, text: string, agent_id?: string): readonly Mail[] {
    const looks = Array.from({ length: copies }, () =>
      select(this.box, { event, session: 'session-1', text, ...(event === 'UserPromptSubmit' ? { prompt_id: ref } : {}), ...(agent_id === undefined ? {} : { agent_id }) }, { host_pid: HOST, turn: this.file, prompts_seen: this.seen, muted: this.muted, now: this.now }),
    );
    return looks.flatMap(({ take }) => take.filter((item) => this.claim(item, event, ref)));
  }

  claim(item: Mail, channel: Claim['channel'], ref: string): boolean {
    if (!this.box.includes(item)) return false;
    this.box = this.box.filter((other) => other !== item);
    this.claims.push({ ...item, channel, ref, at: this.now });
    expect(this.muted).toBe(false);
    expect(item.advice.host_pid).toBe(HOST);
    expect(expiredBecause(item.advice, this.now, { queue_timeout_s: 600 })).toBeUndefined();
    return true;
  }

  /** The host shows what was printed, or not, and writes what it wrote. */
  show(items: readonly Mail[], what: Fate): void {
    if (what !== 'lands') return;
    for (const { advice } of items) {
      this.landed.set(advice.id, (this.landed.get(advice.id) ?? 0) + 1);
      this.disk.push({ ids: [advice.id], channel: advice.human_only ? 'message' : 'context', at: this.now });
    }
  }

  tool({ subagent, twice, fate: what, answers }: Extract<Action, { do: 'tool' }>): void {
    if (!this.working) return;
    const call = `toolu_${(this.counter += 1)}`;
    const text = answers ? 'Bash\nnpm test' : 'Bash\nls';
    const items = this.drain('PostToolUse', call, twice ? 2 : 1, text, subagent ? 'agent-1' : undefined);
    if (subagent) return expect(items).toEqual([]);
    if (answers) expect(items.every(({ advice }) => advice.stale_if.length === 0)).toBe(true);
    this.disk.push({ kind: 'tool-result', at: this.now, call });
    this.show(items, what);
    this.disk.push({ kind: 'response', at: this.now + 100 });
  }

  promptTyped({ twice, fate: what, blocked }: Extract<Action, { do: 'prompt' }>): void {
    const opens = !this.working;
    if (opens) this.prompt = `p${(this.counter += 1)}`;
    const items = this.drain('UserPromptSubmit', this.prompt, twice ? 2 : 1, 'go on');
    if (!opens) return expect(items).toEqual([]);
    this.seen.push(this.prompt);
    this.signal('UserPromptSubmit', { origin: 'human', prompt_id: this.prompt });
    if (blocked) {
      this.disk.push({ kind: 'blocked', at: this.now + 5 });
      return;
    }
    this.working = true;
    this.wakeUsed = false;
    this.disk.push({ kind: 'prompt', origin: 'human', at: this.now, prompt_id: this.prompt });
    this.show(items, what);
    this.disk.push({ kind: 'response', at: this.now + 100 });
  }

  stop({ twice, fate: what }: Extract<Action, { do: 'stop' }>): void {
    if (!this.working) return;
    this.signal('Stop', { stop_hook_active: this.continuing });
    const looks = Array.from({ length: twice ? 2 : 1 }, () => ({ gate: this.gate(), verdict: mayHold(this.box, { ...this.gate(), stop_hook_active: this.continuing }) }));
    const said = looks.flatMap(({ gate, verdict }) => (verdict.speak && this.count(gate.fired) && this.claim(verdict.mail, 'Stop', this.prompt) ? [verdict.mail] : []));
    if (said.length > 0 && what === 'lands') {
      this.show(said, what);
      this.continuing = true;
      this.disk.push({ kind: 'response', at: this.now + 100 });
      return;
    }
    this.working = false;
    this.continuing = false;
    this.disk.push({ kind: 'turn-end', at: this.now + 10, reason: 'end_turn' });
  }

  answerBell(): void {
    if (!this.bell) return;
    this.bell = false;
    const gate = this.gate();
    const verdict = mayWake(this.box, gate);
    if (!verdict.speak || !this.count(gate.fired)) return;
    // While a turn we have not heard of runs, the answer rides on the notification in it.
    if (!this.working) this.prompt = `b${(this.counter += 1)}`;
    if (!this.claim(verdict.mail, 'bell', this.prompt)) return;
    this.seen.push(this.prompt);
    this.working = true;
    this.signal('UserPromptSubmit', { origin: 'bell', prompt_id: this.prompt });
    this.disk.push({ kind: 'prompt', origin: 'notification', at: this.now, prompt_id: this.prompt });
    this.show([verdict.mail], 'lands');
    this.disk.push({ kind: 'response', at: this.now + 100 });
  }

  count(before: readonly Firing[]): boolean {
    if (before.length !== this.fired.length) return false;
    this.fired = [...this.fired, { n: this.fired.length + 1, at: this.now }];
    this.wakeUsed = true;
    return true;
  }

  gate(): GateFacts {
    return { session: 'session-1', host_pid: HOST, turn: this.file, muted: this.muted, attended: true, background: [], fired: this.fired, now: this.now };
  }

  signal(event: Signal['event'], more: Partial<Signal> = {}): void {
    this.session = next(this.session, { from: 'signal', signal: { v: 1, event, at: this.now, session: 'session-1', transcript: '/t', cwd: '/c', ...more } });
  }

  /** The monitor reads some of what is there, then lists claims, then settles, expires and writes turn.json. */
  tick(share: number): void {
    const read = this.disk.splice(0, Math.ceil(this.disk.length * share));
    const events = read.filter((item): item is ReadEvent => 'kind' in item);
    const proofs = read.filter((item): item is Proof => 'ids' in item);
    for (const event of events) this.session = next(this.session, { from: 'record', event });
    const { state, settled } = settleClaims(this.deliveries, this.claims, { events, proofs }, this.now);
    this.deliveries = state;
    for (const one of settled) {
      const { id } = one.claim.advice;
      this.claims = this.claims.filter((claim) => claim !== one.claim);
      if (one.end === 'confirmed') this.confirmed.set(id, (this.confirmed.get(id) ?? 0) + 1);
      if (one.end === 'lost' && one.again) this.box.push({ ...one.claim, again: true });
    }
    this.box = this.box.filter(({ advice }) => expiredBecause(advice, this.now, { queue_timeout_s: 600 }) === undefined);
    this.file = { ...this.file, at: this.now, state: settle(this.session, this.now).state, wake_used: this.wakeUsed };
  }
}

test('at most one delivery of an advisory, confirmed once, never into a subagent, to another host, stale, expired or muted', () => {
  let deliveries = 0;
  let firings = 0;
  fc.assert(
    fc.property(fc.array(action, { minLength: 10, maxLength: 80 }), (actions) => {
      const world = new World();
      for (const one of actions) world.step(one);
      world.tick(1);
      for (const [id, times] of world.landed) expect({ id, times }).toEqual({ id, times: 1 });
      for (const [id, times] of world.confirmed) expect({ id, times, landed: world.landed.get(id) }).toEqual({ id, times: 1, landed: 1 });
      for (const [at, { n }] of world.fired.entries()) expect(n).toBe(at + 1);
      expect(world.fired.length).toBeLessThanOrEqual(3);
      world.fired.slice(1).forEach(({ at }, i) => expect(at - (world.fired[i]?.at ?? 0)).toBeGreaterThanOrEqual(3_600_000));
      deliveries += world.confirmed.size;
      firings += world.fired.length;
    }),
    { numRuns: 3000 },
  );
  // The runs are worth something only if much is delivered in them.
  expect(deliveries).toBeGreaterThan(1000);
  expect(firings).toBeGreaterThan(50);
});
