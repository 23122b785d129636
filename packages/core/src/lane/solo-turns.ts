// Whose payment of the solo queue a lane tries next. Accounts take turns, and payers take turns within their account. A
// process keeps the turns in memory; after a restart they begin anew, which costs no account more than one turn.
import { type Lane, type LaneItem, laneKey } from './lane.ts';
import { mustWait } from './solo-payers.ts';

/** How many payers of one account are read per turn to find one that need not wait. */
export const PAYERS_LOOKED_AT = 16;
/** An empty solo queue is not read again for this long. */
const EMPTY_MS = 1_000;

export type SoloTurns = {
  /** The account whose turn was last. */
  lastAccount: string;
  /** By account, the payer whose turn was last. */
  readonly lastPayers: Map<string, string>;
  /** When the queue last had no payment to send. */
  emptyAtMs: number;
};

export type QueuedPayer = {
  readonly account: string;
  readonly payer: string;
  /** Null for a payer that never burned gas. */
  readonly nextAtMs: number | null;
};

/** Reads of the solo queue of one network. */
export type SoloReads = {
  /** Accounts with a queued payment, in the order of their ids, from the first after `account` on. */
  readonly accountsAfter: (account: string, limit: number) => Promise<readonly string[]>;
  /** For each account its next payers after `lastPayer`, in their order, at most `PAYERS_LOOKED_AT`. */
  readonly payersAfter: (
    asked: readonly { readonly account: string; readonly lastPayer: string }[],
  ) => Promise<readonly QueuedPayer[]>;
  /** For each payer its first payment that is in the lane's share and not deferred. */
  readonly firstItems: (chosen: readonly Omit<QueuedPayer, 'nextAtMs'>[]) => Promise<readonly LaneItem[]>;
};

/** Returns the turns of a lane, created on first use. */
export function createSoloTurns(): (lane: Lane) => SoloTurns {
  const turns = new Map<string, SoloTurns>();
  return (lane) => {
    const known = turns.get(laneKey(lane)) ?? { lastAccount: '', lastPayers: new Map(), emptyAtMs: -EMPTY_MS };
    turns.set(laneKey(lane), known);
    return known;
  };
}

export function noteSoloTurn(turns: SoloTurns, { accountId, payer }: Pick<LaneItem, 'accountId' | 'payer'>): void {
  turns.lastAccount = accountId;
  turns.lastPayers.set(accountId, payer);
}

/** At most one payment for each of the next accounts, in the order of their turns. */
export async function readSoloQueue(
  reads: SoloReads,
  turns: SoloTurns,
  limit: number,
  nowMs: number,
): Promise<readonly LaneItem[]> {
  if (nowMs - turns.emptyAtMs < EMPTY_MS) return [];
  // From the account after the last one, wrapping around.
  const later = await reads.accountsAfter(turns.lastAccount, limit);
  const isWrapped = later.length < limit && turns.lastAccount !== '';
  const earlier = isWrapped ? await reads.accountsAfter('', limit) : [];
  const accounts = [...new Set([...later, ...earlier])].slice(0, limit);
  const asked = accounts.map((account) => ({ account, lastPayer: turns.lastPayers.get(account) ?? '' }));
  const payers = await reads.payersAfter(asked);
  const payersOf = (account: string) => payers.filter((one) => one.account === account);
  const chosen = accounts.flatMap((account) => nextPayer(turns, account, payersOf(account), nowMs));
  const items = new Map((await reads.firstItems(chosen)).map((item) => [item.accountId as string, item]));
  for (const { account, payer } of chosen) if (!items.has(account)) turns.lastPayers.set(account, payer);
  // An account with unread payers, or whose turns begin anew, may have a payment to send in the next round.
  const goesOn = asked.some(({ account, lastPayer }) => {
    const seen = payersOf(account).length;
    return seen === PAYERS_LOOKED_AT || (seen === 0 && lastPayer !== '');
  });
  if (items.size === 0 && accounts.length < limit && !goesOn) turns.emptyAtMs = nowMs;
  return accounts.flatMap((account) => items.get(account) ?? []);
}

/**
 * The account's next payer that need not wait. Payers that must wait lose their turn, so that they do not delay others.
 */
function nextPayer(
  { lastPayers }: SoloTurns,
  account: string,
  payers: readonly QueuedPayer[],
  nowMs: number,
): readonly QueuedPayer[] {
  const next = payers.find(({ nextAtMs }) => !mustWait(nextAtMs, nowMs));
  if (next !== undefined) return [next];
  const last = payers.at(-1);
  // No payer after the last one: the account's next turn begins with its first payer.
  if (last === undefined) lastPayers.delete(account);
  else lastPayers.set(account, last.payer);
  return [];
}
