// Loads the solo queue. Accounts take turns, and payers take turns within their account. The process keeps the turns in
// memory; after a restart they begin anew, which costs no account more than one turn.
import { isoTime, type Lane, type LaneItem, laneKey, type QueueShare } from '@svc-pay/core';
import type pg from 'pg';
import {
  ITEM_COLUMNS,
  ITEM_JOINS,
  type LaneItemRow,
  laneItemOf,
  SETTLEMENT_COLUMNS,
} from '../payment/lane-item-row.ts';

/** Must match the conditions of the partial index of the solo queue. */
const WAITS = "network = $1 and status = 'queued' and solo_payer is not null";

// Recursive skip scan: one index lookup per account, independent of how many payments each account has queued.
const ACCOUNTS = {
  name: 'solo-queue-accounts',
  text: `
    with recursive account (id, place) as (
      select (select account_id from svc.settlements where ${WAITS} and account_id > $2 order by account_id limit 1), 1
      union all
      select (
          select account_id from svc.settlements where ${WAITS} and account_id > account.id order by account_id limit 1
        ), place + 1
      from account where account.id is not null and place < $3
    )
    select id from account where id is not null order by id`,
};

/** How many payers of one account are read per turn to find one that need not wait. */
const PAYERS_LOOKED_AT = 16;

const PAYERS = {
  name: 'solo-queue-payers',
  text: `
    select asked.account, payer.id as payer, (
        select true from svc.solo_payers solo
        where solo.network = $1 and solo.payer = payer.id and solo.next_at > $4 limit 1
      ) is not null as waits
    from unnest($2::text[], $3::text[]) as asked (account, last_payer)
    cross join lateral (
      with recursive payer (id, place) as (
        select (
            select solo_payer from svc.settlements
            where ${WAITS} and account_id = asked.account and solo_payer > asked.last_payer order by solo_payer limit 1
          ), 1
        union all
        select (
            select solo_payer from svc.settlements
            where ${WAITS} and account_id = asked.account and solo_payer > payer.id order by solo_payer limit 1
          ), place + 1
        from payer where payer.id is not null and place < ${PAYERS_LOOKED_AT}
      )
      select id, place from payer where id is not null
    ) payer
    order by asked.account, payer.place`,
};

const ITEMS = {
  name: 'solo-queue-items',
  text: `
    with s as materialized (
      select found.* from unnest($2::text[], $3::text[]) as asked (account, payer)
      cross join lateral (
        select ${SETTLEMENT_COLUMNS} from svc.settlements
        where ${WAITS} and account_id = asked.account and solo_payer = asked.payer
          and number % $4 = $5 and (retry_at is null or retry_at <= $6)
        order by number limit 1
      ) found
    )
    select ${ITEM_COLUMNS} from s ${ITEM_JOINS}`,
};

export type SoloTurns = {
  /** The account whose turn was last. */
  lastAccount: string;
  /** By account, the payer whose turn was last. */
  readonly lastPayers: Map<string, string>;
  /** When the queue last had no payment to send. It is not read again for `EMPTY_MS`. */
  emptyAtMs: number;
};

const EMPTY_MS = 1_000;

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

export async function loadSoloQueue(
  pool: pg.Pool,
  { network }: Lane,
  { index, count }: QueueShare,
  limit: number,
  nowMs: number,
  turns: SoloTurns,
): Promise<readonly LaneItem[]> {
  if (nowMs - turns.emptyAtMs < EMPTY_MS) return [];
  const after = async (account: string) => {
    const { rows } = await pool.query<{ id: string }>({ ...ACCOUNTS, values: [network, account, limit] });
    return rows.map(({ id }) => id);
  };
  // Accounts in order of id, from the one after `lastAccount`, wrapping around.
  const later = await after(turns.lastAccount);
  const earlier = later.length < limit && turns.lastAccount !== '' ? await after('') : [];
  const accounts = [...new Set([...later, ...earlier])].slice(0, limit);
  const now = isoTime(nowMs);
  const lastPayers = accounts.map((account) => turns.lastPayers.get(account) ?? '');
  const looked = await pool.query<LookedAt>({ ...PAYERS, values: [network, accounts, lastPayers, now] });
  const chosen = accounts.flatMap((account) => nextPayer(turns, account, looked.rows));
  const { rows } = await pool.query<LaneItemRow>({
    ...ITEMS,
    values: [network, chosen.map((one) => one.account), chosen.map(({ payer }) => payer), count, index, now],
  });
  const items = new Map(rows.map((row) => [row.account_id as string, laneItemOf(row)]));
  for (const { account, payer } of chosen) if (!items.has(account)) turns.lastPayers.set(account, payer);
  // An account with unread payers, or whose turns begin anew, may have a payment to send in the next round.
  const goesOn = accounts.some((account, place) => {
    const seen = looked.rows.filter((one) => one.account === account).length;
    return seen === PAYERS_LOOKED_AT || (seen === 0 && lastPayers[place] !== '');
  });
  const isRest = accounts.length < limit && !goesOn;
  if (items.size === 0 && isRest) turns.emptyAtMs = nowMs;
  return accounts.flatMap((account) => items.get(account) ?? []);
}

type LookedAt = { readonly account: string; readonly payer: string; readonly waits: boolean };

/**
 * The account's next payer that need not wait. Payers that must wait lose their turn, so that they do not delay others.
 */
function nextPayer({ lastPayers }: SoloTurns, account: string, all: readonly LookedAt[]): readonly LookedAt[] {
  const looked = all.filter((one) => one.account === account);
  const next = looked.find(({ waits }) => !waits);
  if (next !== undefined) return [next];
  const last = looked.at(-1);
  // No payer after the last one: the account's next turn begins with its first payer.
  if (last === undefined) lastPayers.delete(account);
  else lastPayers.set(account, last.payer);
  return [];
}
