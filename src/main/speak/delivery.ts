// What became of claimed mail, by evidence from the transcript alone: confirmed, lost, or not known yet (SPEC 10).
import type { Proof, ReadEvent } from '../records.ts';
import type { Claim } from './envelope.ts';

/** What must be remembered between two reads: tool calls and prompts whose records have been seen. */
export type DeliveryState = { readonly anchors: readonly string[] };

export const noDeliveries: DeliveryState = { anchors: [] };

export type LostBy = 'response' | 'interrupt' | 'api-error' | 'blocked' | 'withdrawn' | 'turn-end';

export type Settled =
  | { readonly end: 'confirmed'; readonly claim: Claim; readonly at: number }
  /** `again`: this was its first loss, it may be offered once more. */
  | { readonly end: 'lost'; readonly claim: Claim; readonly because: LostBy; readonly again: boolean }
  | { readonly end: 'expired'; readonly claim: Claim };

/**
 * Settles claims against what one read of the transcript brought. `claims` are listed after that read, since a claim
 * precedes its proof. A claim with neither proof nor evidence of loss stays until its advice is no longer true.
 */
export const settle = (
  state: DeliveryState,
  claims: readonly Claim[],
  news: { readonly proofs: readonly Proof[]; readonly events: readonly ReadEvent[] },
  now: number,
): { readonly state: DeliveryState; readonly settled: readonly Settled[] } => {
  const settled: Settled[] = [];
  for (const claim of claims) {
    const proof = news.proofs.find((found) => proves(found, claim));
    const because = proof === undefined ? lossOf(claim, new Set(state.anchors), news.events) : undefined;
    if (proof !== undefined) settled.push({ end: 'confirmed', claim, at: proof.at });
    else if (because !== undefined) settled.push({ end: 'lost', claim, because, again: !claim.again });
    else if (now >= claim.advice.generated_at + claim.advice.ttl * 1000) settled.push({ end: 'expired', claim });
  }
  const anchors = [...state.anchors, ...news.events.flatMap((event) => anchorOf(event) ?? [])];
  return { state: { anchors: anchors.slice(-ANCHORS_KEPT) }, settled };
};

// Many more than one turn's parallel calls: a claim is listed within a tick of its call.
const ANCHORS_KEPT = 256;

/** The agent's copy counts for agent-addressed mail, the user's for the rest. */
const proves = ({ ids, channel }: Proof, { advice }: Claim): boolean => ids.includes(advice.id) && (advice.human_only ? channel !== 'context' : channel === 'context');

const anchorOf = (event: ReadEvent): string | undefined => (event.kind === 'tool-result' ? event.call : event.kind === 'prompt' ? event.prompt_id : undefined);

/**
 * The first event that shows the answer went nowhere. A response counts only after the record the answer rides on,
 * as the host writes the answer right behind that record; records older than the claim say nothing about it.
 */
const lossOf = (claim: Claim, seen: ReadonlySet<string>, events: readonly ReadEvent[]): LostBy | undefined => {
  let anchored = claim.ref === 'none' || claim.channel === 'Stop' || seen.has(claim.ref);
  for (const event of events) {
    anchored ||= anchorOf(event) === claim.ref;
    if (event.at > claim.at && ends(event, claim, anchored)) return event.kind as LostBy;
  }
  return undefined;
};

const ends = ({ kind }: ReadEvent, { channel }: Claim, anchored: boolean): boolean => {
  switch (kind) {
    case 'response':
      return anchored;
    case 'interrupt':
    case 'api-error':
    case 'turn-end':
      return true;
    case 'blocked':
    case 'withdrawn': // concern the prompt the answer was given to
      return channel === 'UserPromptSubmit' || channel === 'bell';
    default:
      return false;
  }
};
