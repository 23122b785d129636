// Sends payments of the solo queue: contract wallets, and payers whose transfer recently used up its gas. Each payment
// goes in a transaction of its own. Solo transactions have a share of the lane's in-flight limit, and the common queue
// never waits for them.
import { isBound, judgeSolo, type SoloBudget } from '../budget/judge-wallet.ts';
import { checkNonce } from './check-nonce.ts';
import { underCap, unminedAtomic } from './fit-under-cap.ts';
import { isOver, judgeSimulation, setAside } from './judge-simulation.ts';
import type { LaneItem } from './lane.ts';
import { ChainUnavailable, type SimulationResult } from './lane-chain.ts';
import { idsOf, payoutIdsOf, type RoundResult, type Sending, type SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease, LaneStore } from './lane-store.ts';
import { sendBatch } from './send-batch.ts';

/** Payments simulated per round to find one to send. */
const MOST_LOOKED_AT = 8;
/** Solo transactions may take one in so many in-flight slots, at least one. */
const SOLO_PART = 4;
/** The solo queue goes first at one in so many nonces, so that a busy common queue does not starve it. */
const SOLO_TURN = 4n;

export const isSoloTurn = (nonce: bigint): boolean => nonce % SOLO_TURN === SOLO_TURN - 1n;

/** Sends at most one transaction. `empty` when none may be sent now. */
export async function sendSolo(deps: SequencedLaneDeps, lease: LaneLease, sending: Sending): Promise<RoundResult> {
  const { store, pace } = deps;
  const { state, pendingBatches, share } = sending;
  const most = Math.max(1, Math.floor(pace.maxInFlight / SOLO_PART));
  const pending = pendingBatches.flatMap(({ items }) => items).filter(({ byContract, solo }) => byContract || solo);
  if (pending.length >= most) return 'empty';
  // A payer with a pending transaction waits for its result: a wallet that burns gas costs one transaction at a time.
  const busy = new Set(pending.map(({ payer }) => payer));
  const waiting = await store.loadSoloQueue(lease, share, MOST_LOOKED_AT);
  if (waiting.length === 0) return 'empty';
  if (pendingBatches.length === 0) {
    const nonce = await checkNonce(deps, lease, state);
    if (nonce !== 'empty') return nonce;
  }
  let ended = false;
  for (const { item, ...budget } of await withBudgets(store, lease, waiting)) {
    store.noteSoloTurn(lease, item);
    if (busy.has(item.payer) || budget.verdict === 'wait') continue;
    const tried = await trySolo(deps, lease, sending, item, budget);
    if (tried === 'ended') ended = true;
    else if (tried !== 'aside') return tried;
  }
  return ended ? 'moved' : 'empty';
}

type JudgedBudget = {
  /** Set if gas budgets of others bind the payment too. */
  readonly bound: SoloBudget | undefined;
  readonly verdict: ReturnType<typeof judgeSolo>;
};

async function withBudgets(
  store: LaneStore,
  lease: LaneLease,
  items: readonly LaneItem[],
): Promise<readonly (JudgedBudget & { readonly item: LaneItem })[]> {
  const budgets = await store.loadSoloBudgets(lease, items);
  return items.flatMap((item, index) => {
    const budget = budgets[index];
    if (budget === undefined) return [];
    const bound = isBound(item.byContract, budget) ? budget : undefined;
    return [{ item, bound, verdict: judgeSolo(item.byContract, budget) }];
  });
}

/**
 * The payment fails now: its payer can pay from another wallet at once, instead of when the signature ends. Only after a
 * simulation: it shows that nobody else has used the authorization.
 */
async function refuseSpent(
  { store, log }: SequencedLaneDeps,
  lease: LaneLease,
  item: LaneItem,
): Promise<'ended' | 'taken_over'> {
  log('payment_over_budget', { accountId: item.accountId, ...idsOf([item]) });
  return (await store.recordUnsent(lease, [{ item, outcome: 'gas_budget_spent' }])) ? 'ended' : 'taken_over';
}

async function trySolo(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  { state, pendingBatches, unmined }: Sending,
  item: LaneItem,
  { bound, verdict }: JudgedBudget,
): Promise<RoundResult | 'ended' | 'aside'> {
  const { store, log } = deps;
  const simulation = item.payout.withdrawn ? undefined : await simulateSingle(deps, item);
  const judged = simulation === undefined ? [] : judgeSimulation([item], simulation);
  const unsent = judged.filter(isOver);
  if (unsent.length > 0) return (await store.recordUnsent(lease, unsent)) ? 'ended' : 'taken_over';
  if (simulation?.ok === false) {
    const { cause, reason } = simulation;
    log('simulation_refused', { cause, reason, ...idsOf([item]) });
    if (cause === 'not_allowed') await store.noteUnfit(lease, 'not_allowed');
  }
  const isWithdrawn = judged.some(({ outcome }) => outcome === 'withdrawn');
  if (isWithdrawn) log('direct_payments_deferred', { payoutIds: payoutIdsOf([item]), ...idsOf([item]) });
  const passes = simulation?.ok === true && judged.every(({ outcome }) => outcome === 'settled');
  const { fits } = underCap([item], simulation?.capRoomAtomic, unminedAtomic(unmined, item));
  if (!passes || fits.length === 0) {
    await setAside(deps, lease, [item]);
    return 'aside';
  }
  if (verdict === 'spent') return refuseSpent(deps, lease, item);
  const sent = await sendBatch(deps, lease, state.nextNonce, [item], pendingBatches, bound);
  if (sent !== 'too_dear') return sent;
  if (pendingBatches.length === 0) await store.noteUnfit(lease, 'empty');
  return pendingBatches.length > 0 ? 'waiting' : 'blocked';
}

/** Undefined when no node answered: a wallet whose code breaks the simulation delays only its own payments. */
async function simulateSingle(
  { chain, log }: SequencedLaneDeps,
  item: LaneItem,
): Promise<SimulationResult | undefined> {
  try {
    return await chain.simulate([item]);
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    log('simulation_unanswered', { reason: problem.message, ...idsOf([item]) });
    return undefined;
  }
}
