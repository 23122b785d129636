// Whose payment of the solo queue a lane tries next. Wallets with a completed payment have a part of the queue of their own.
// In each part accounts take turns, and payers take turns within their account. A process keeps the turns in memory; after a
// restart they begin anew, which costs no account more than one turn.
import { type Lane, type LaneItem, laneKey } from './lane.ts';
import { mustWait } from './solo-payers.ts';

/** How many payers of one account are read per turn to find one that need not wait. */
export const PAYERS_LOOKED_AT = 16;
/** An empty solo queue is not read again for this long. */
const EMPTY_MS = 1_000;

/** `proven`: contract wallets with a completed payment. Nobody gets there without having paid. */
export type SoloPart = 'proven' | 'others';

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

/** Reads of one part of the solo queue of one network, within the lane's share. */
export type SoloReads = {
  /** Accounts with a queued payment, in the order of their ids, from the first after `account` on. */
  readonly accountsAfter: (account: string, limit: number) => Promise<readonly string[]>;
  /** For each account its next payers after `lastPayer`, in their order, at most `PAYERS_LOOKED_AT`. */
  readonly payersAfter: (
    asked: readonly { readonly account: string; readonly lastPayer: string }[],
  ) => Promise<readonly QueuedPayer[]>;
  /** For each payer its first payment that is not deferred. */
  readonly firstItems: (chosen: readonly Omit<QueuedPayer, 'nextAtMs'>[]) => Promise<readonly LaneItem[]>;
};

/** Returns the turns of a lane, created on first use. */
export function createSoloTurns(): (lane: Lane, part: SoloPart) => SoloTurns {
  const turns = new Map<string, SoloTurns>();
  return (lane, part) => {
    const key = `${part} ${laneKey(lane)}`;
    const known = turns.get(key) ?? { lastAccount: '', lastPayers: new Map(), emptyAtMs: -EMPTY_MS };
    turns.set(key, known);
    return known;
  };
}

export function noteSoloTurn(turns: SoloTurns, { accountId, payer }: Pick<LaneItem, 'accountId' | 'payer'>): void {
  turns.lastAccount = accountId;
  turns.lastPayers.set(accountId, payer);
}

/** Payments of the next accounts in the order of their turns; several of an account if there are few accounts. */
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
  const most = Math.ceil(limit / Math.max(1, accounts.length));
  const chosen = accounts.flatMap((account) => nextPayers(turns, account, payersOf(account), most, nowMs));
  const items = new Map((await reads.firstItems(chosen)).map((item) => [placeOf(item.accountId, item.payer), item]));
  for (const { account, payer } of chosen)
    if (!items.has(placeOf(account, payer))) turns.lastPayers.set(account, payer);
  // An account with unread payers, or whose turns begin anew, may have a payment to send in the next round.
  const goesOn = asked.some(({ account, lastPayer }) => {
    const seen = payersOf(account).length;
    return seen === PAYERS_LOOKED_AT || (seen === 0 && lastPayer !== '');
  });
  if (items.size === 0 && accounts.length < limit && !goesOn) turns.emptyAtMs = nowMs;
  return chosen.flatMap(({ account, payer }) => items.get(placeOf(account, payer)) ?? []).slice(0, limit);
}

const placeOf = (account: string, payer: string) => `${account} ${payer}`;

/**
 * The account's next payers that need not wait. Payers that must wait lose their turn, so that they do not delay others.
 */
function nextPayers(
  { lastPayers }: SoloTurns,
  account: string,
  payers: readonly QueuedPayer[],
  most: number,
  nowMs: number,
): readonly QueuedPayer[] {
  const next = payers.filter(({ nextAtMs }) => !mustWait(nextAtMs, nowMs)).slice(0, most);
  if (next.length > 0) return next;
  const last = payers.at(-1);
  // No payer after the last one: the account's next turn begins with its first payer.
  if (last === undefined) lastPayers.delete(account);
  else lastPayers.set(account, last.payer);
  return [];
}
