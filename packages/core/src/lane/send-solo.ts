// Sends payments of the solo queue: contract wallets, and payers whose transfer recently used up its gas. Each payment
// goes in a transaction of its own. Solo transactions have a share of the lane's in-flight limit, and the common queue
// never waits for them. Wallets that paid before and lost no gas lately are sent several per round, and have slots that no
// other wallet takes: otherwise wallets that burn gas, each of which has to be simulated, delay them.
import { isBound, judgeRefundGas, judgeSolo, type SoloBudget } from '../budget/judge-wallet.ts';
import { checkNonce } from './check-nonce.ts';
import { isRefundBatch, type LaneItem, type PendingBatch } from './lane.ts';
import { idsOf, type LaneDeps, type RoundResult, type Sending, type SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease, LaneStore } from './lane-store.ts';
import { sendBatch } from './send-batch.ts';
import { sendProven } from './send-proven.ts';
import { simulateSolo } from './simulate-solo.ts';
import type { SoloPart } from './solo-turns.ts';

/** Payments simulated per round. */
const MOST_LOOKED_AT = 8;
/** Solo transactions may take one in so many in-flight slots, at least one; those of proven wallets one in two. */
const SOLO_PART = 4;
const PROVEN_PART = 2;
/** The solo queue goes first at one in so many nonces, so that a busy common queue does not starve it. */
const SOLO_TURN = 4n;

export const isSoloTurn = (nonce: bigint): boolean => nonce % SOLO_TURN === SOLO_TURN - 1n;

/** Sends transactions of one part of the queue. `empty` when none may be sent now. */
export async function sendSolo(deps: SequencedLaneDeps, lease: LaneLease, sending: Sending): Promise<RoundResult> {
  const { maxInFlight } = deps.pace;
  const solo = sending.pendingBatches.filter(
    (batch) => !isRefundBatch(batch) && batch.items.some((item) => item.byContract || item.solo),
  );
  const others = solo.filter((batch) => !isProvenBatch(batch));
  const room: Readonly<Record<SoloPart, number>> = {
    proven: Math.max(1, Math.floor(maxInFlight / PROVEN_PART)) - solo.length,
    others: Math.max(1, Math.floor(maxInFlight / SOLO_PART)) - others.length,
  };
  // A payer with a pending transaction waits for its result: a wallet that burns gas costs one transaction at a time.
  const busy = new Set(solo.flatMap(({ items }) => items.map(({ payer }) => payer)));
  // Which part goes first changes with the nonce: neither starves behind the other.
  const isOthersTurn = (sending.state.nextNonce / SOLO_TURN) % 2n === 1n;
  const parts: readonly SoloPart[] = isOthersTurn ? ['others', 'proven'] : ['proven', 'others'];
  for (const part of parts) {
    if (room[part] <= 0) continue;
    const sent = await sendPart(deps, lease, sending, { part, room: room[part], busy });
    if (sent !== 'empty') return sent;
  }
  return 'empty';
}

const isProvenBatch = ({ items, bound }: PendingBatch) => bound !== true && items.every(({ byContract }) => byContract);

type Part = { readonly part: SoloPart; readonly room: number; readonly busy: ReadonlySet<string> };

async function sendPart(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  sending: Sending,
  { part, room, busy }: Part,
): Promise<RoundResult> {
  const { store } = deps;
  const { state, pendingBatches, share } = sending;
  const waiting = await store.loadSoloQueue(lease, share, part, MOST_LOOKED_AT);
  if (waiting.length === 0) return 'empty';
  if (pendingBatches.length === 0) {
    const nonce = await checkNonce(deps, lease, state);
    if (nonce !== 'empty') return nonce;
  }
  const judged = await withBudgets(store, lease, waiting);
  const mayGo = ({ item, verdict }: Candidate) => !busy.has(item.payer) && verdict !== 'wait';
  const isFree = (one: Candidate) =>
    part === 'proven' && one.item.byContract && one.bound === undefined && one.verdict === 'open' && mayGo(one);
  const free = judged.filter(isFree).slice(0, room);
  for (const { item } of free) store.noteSoloTurn(lease, part, item);
  let ended = false;
  if (free.length > 0) {
    const items = free.map(({ item }) => item);
    const sent = await sendProven(deps, lease, sending, items);
    if (sent === 'ended') ended = true;
    else if (sent !== 'aside') return sent;
  }
  for (const one of judged) {
    if (isFree(one)) continue;
    const { item, ...budget } = one;
    store.noteSoloTurn(lease, part, item);
    if (!mayGo(one)) continue;
    const tried = await trySolo(deps, lease, sending, item, budget);
    if (tried === 'ended') ended = true;
    else if (tried !== 'aside') return tried;
  }
  return ended ? 'moved' : 'empty';
}

type Candidate = JudgedBudget & { readonly item: LaneItem };

type JudgedBudget = {
  /** Set if gas budgets of others bind the payment too. */
  readonly bound: SoloBudget | undefined;
  readonly verdict: ReturnType<typeof judgeSolo>;
};

export async function withBudgets(
  store: LaneStore,
  lease: LaneLease,
  items: readonly LaneItem[],
): Promise<readonly Candidate[]> {
  const budgets = await store.loadSoloBudgets(lease, items);
  return items.flatMap((item, index) => {
    const budget = budgets[index];
    if (budget === undefined) return [];
    const bound = isBound(item.byContract, budget) ? budget : undefined;
    const judge = item.refund === undefined ? judgeSolo : judgeRefundGas;
    return [{ item, bound, verdict: judge(item.byContract, budget) }];
  });
}

/**
 * The payment fails now: its payer can pay from another wallet at once, instead of when the signature ends. Only after a
 * simulation: it shows that nobody else has used the authorization.
 */
export async function refuseSpent(
  { store, log }: Pick<LaneDeps, 'store' | 'log'>,
  lease: LaneLease,
  item: LaneItem,
): Promise<'ended' | 'taken_over'> {
  log(item.refund === undefined ? 'payment_over_budget' : 'refund_over_budget', {
    accountId: item.accountId,
    ...idsOf([item]),
  });
  return (await store.recordUnsent(lease, [{ item, outcome: 'gas_budget_spent' }])) ? 'ended' : 'taken_over';
}

/** Sends it in a transaction of its own, if a simulation of it passes. */
export async function trySolo(
  deps: SequencedLaneDeps,
  lease: LaneLease,
  sending: Sending,
  item: LaneItem,
  { bound, verdict }: JudgedBudget,
): Promise<RoundResult | 'ended' | 'aside'> {
  const { store } = deps;
  const { state, pendingBatches } = sending;
  const tried = await simulateSolo(deps, lease, sending, item);
  if (typeof tried === 'string') return tried;
  if (verdict === 'spent') return refuseSpent(deps, lease, item);
  const sent = await sendBatch(deps, lease, state.nextNonce, [item], pendingBatches, bound);
  if (sent !== 'too_dear') return sent;
  if (pendingBatches.length === 0) await store.noteUnfit(lease, 'empty');
  return pendingBatches.length > 0 ? 'waiting' : 'blocked';
}
