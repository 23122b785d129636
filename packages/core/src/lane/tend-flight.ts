// What flies is looked after until its end is known: mined, or certainly never to be mined. Until then its nonce carries
// the same call and nothing else; what may change is what it offers for its gas.
import { broadcastAll } from './broadcast-all.ts';
import { noteObstacle } from './check-nonce.ts';
import { isConfirmedBatch } from './is-confirmed.ts';
import type { FlyingBatch, SignedTransaction } from './lane.ts';
import { type LaneEvent, type LaneParts, noteBroadcast } from './lane-parts.ts';
import type { FoundBatch, HeldLane, LaneState } from './lane-store.ts';

export type Tended = {
  /** What still flies. */
  readonly flight: readonly FlyingBatch[];
  /** How many no longer do. */
  readonly landed: number;
  /** Nothing new may go behind it. */
  readonly stalled: boolean;
};

export async function tendFlight(
  parts: LaneParts,
  held: HeldLane,
  state: LaneState,
  all: readonly FlyingBatch[],
): Promise<Tended | 'taken_over'> {
  if (all.length === 0) return { flight: [], landed: 0, stalled: false };
  const { store, chain, clock, pace, log } = parts;
  const mined = await chain.findMined(all);
  const minedOf = new Map(mined.map((one) => [one.batchId, one]));
  const found = all.flatMap((batch): FoundBatch[] => {
    const its = minedOf.get(batch.id);
    return its !== undefined && isConfirmedBatch(its, batch.items) ? [{ batch, mined: its }] : [];
  });
  if (found.length > 0 && !(await store.recordMined(held, found))) return 'taken_over';
  for (const one of found) log('info', minedEvent(one));
  const recorded = new Set(found.map(({ batch }) => batch.id));
  const open = all.filter(({ id }) => !recorded.has(id));
  // What is mined and waits for more blocks on top of it is heard of.
  const unheard = open.filter(
    ({ id, status, sentAtMs }) =>
      !minedOf.has(id) && (status === 'signed' || clock.nowMs() - sentAtMs >= pace.resendMs),
  );
  const [first] = open;
  if (first === undefined || unheard.length === 0) {
    const stalled = state.obstacle !== null && open.length > 0;
    return { flight: open, landed: all.length - open.length, stalled };
  }

  const { lowest, highest } = await chain.nonceRange();
  const overtaken = unheard.filter(({ nonce }) => chain.expiring || nonce < lowest);
  const replaced = overtaken.length === 0 ? [] : await chain.findReplaced(overtaken);
  for (const batchId of replaced) {
    if (!(await store.recordReplaced(held, batchId))) return 'taken_over';
    log('warn', { what: 'it can’t be mined any more; its payments are queued again', batchId });
  }
  const gap = first.nonce > highest;
  await noteObstacle(parts, held, state, gap ? 'nonce_gap' : null, { database: first.nonce, chain: highest });
  const offered = await offerAgain(
    parts,
    held,
    open,
    unheard.filter((batch) => (chain.expiring ? !replaced.includes(batch.id) : !overtaken.includes(batch))),
  );
  if (offered === 'taken_over') return offered;
  const flight = open.filter(({ id }) => !replaced.includes(id));
  return { flight, landed: all.length - flight.length, stalled: gap || offered === 'refused' };
}

/** In the order of their nonces, so that the one that everything waits for goes first. */
async function offerAgain(
  parts: LaneParts,
  held: HeldLane,
  open: readonly FlyingBatch[],
  unheard: readonly FlyingBatch[],
): Promise<'offered' | 'refused' | 'taken_over'> {
  const { store, chain, log } = parts;
  if (chain.expiring) {
    const heard = await broadcastAll(parts, unheard);
    if (heard.length > 0) await store.markBroadcast(held, heard);
    return 'offered';
  }
  const taken: string[] = [];
  let refused = false;
  for (const batch of unheard) {
    const raised = await raise(parts, held, open, batch);
    if (raised === 'taken_over') return raised;
    const transactions = raised === undefined ? batch.transactions : [...batch.transactions, raised];
    // The latest first; an earlier, cheaper one when no node takes that.
    for (const { transactionId, raw } of transactions.toReversed()) {
      const broadcast = await chain.broadcast(raw);
      noteBroadcast(log, batch.id, transactionId, broadcast);
      if (broadcast.outcome === 'not_sent') continue;
      taken.push(batch.id);
      break;
    }
    if (batch.status === 'signed' && !taken.includes(batch.id)) refused = true;
  }
  if (taken.length > 0) await store.markBroadcast(held, taken);
  return refused ? 'refused' : 'offered';
}

/** Stored before anybody sees it, like the one that it is to replace. */
async function raise(
  { store, chain, clock, pace, log }: LaneParts,
  held: HeldLane,
  open: readonly FlyingBatch[],
  batch: FlyingBatch,
): Promise<SignedTransaction | undefined | 'taken_over'> {
  const latest = latestOf(batch);
  if (clock.nowMs() - (latest.signedAtMs ?? batch.sentAtMs) < pace.bumpMs) return undefined;
  const isFirst = batch === open[0];
  const raised = await chain.raise(latest, isFirst ? 'first' : 'behind');
  if (raised === undefined) {
    if (isFirst) log('warn', { what: 'not mined, and it may not cost more', batchId: batch.id });
    return undefined;
  }
  const others = open.filter(({ id }) => id !== batch.id).map(latestOf);
  if (!(await chain.affords([...others, raised]))) {
    log('warn', { what: 'not mined, and the relayer can’t pay more', batchId: batch.id });
    return undefined;
  }
  if (!(await store.storeTransaction(held, batch.id, raised))) return 'taken_over';
  log('warn', { what: 'a dearer transaction', batchId: batch.id, transactionId: raised.transactionId });
  return raised;
}

export function latestOf({ id, transactions }: FlyingBatch): SignedTransaction {
  const latest = transactions.at(-1);
  if (latest === undefined) throw new Error(`batch ${id} has no transaction`);
  return latest;
}

function minedEvent({ batch, mined }: FoundBatch): LaneEvent {
  const settled = mined.items.filter(({ outcome }) => outcome === 'settled').length;
  const { transactionId, reverted } = mined;
  return { what: 'mined', batchId: batch.id, transactionId, items: batch.items.length, settled, reverted };
}
