// Which logs concern this installation: of a processor all; of a token the authorizations that were claimed for a direct
// payment or refused here, and nonces that are bound to an acceptance of ours.
import { claimKey, findBoundAcceptance, type MoneyLog, type PaidTerms } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { readDirectNonce } from '@svc-pay/protocol/direct-nonce';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { sqlNotMoved } from '../database/not-moved.ts';
import { ONE_BY_KEY } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { loadLateTerms } from '../intent/late-terms.ts';
import { loadAcceptancesOfMany, UnreadableAcceptance } from '../intent/load-acceptances.ts';
import { CODE_END } from './lock-for-apply.ts';

type Asked = { readonly network: NetworkId; readonly log: MoneyLog };

const KEYS = columnArrays<Asked>({
  /** Null for the log of a processor. */
  claim_key: [
    'bytea',
    ({ network, log }) =>
      'nonce' in log ? claimKey({ network, asset: log.address, payer: log.payer, uniquePart: log.nonce }) : null,
  ],
  /** The intent code in a bound nonce; null for another nonce, or for a code that can't be ours. */
  bound_code: ['bigint', ({ log }) => ('nonce' in log ? boundCodeOf(log.nonce) : null)],
});

// Each part is a lookup by key: `exists` beside `or` may be answered by reading all claims once.
const SELECT_OWN = {
  name: 'select-own-logs',
  text: `
    select r.place::integer, found.known, code.*
    from ${KEYS.unnestWithPlace('r')}
    cross join lateral (
      select r.claim_key is null or coalesce((
          select true from svc.claims c cross join lateral (
            select a.direct from svc.authorizations a
            where a.account_id = c.account_id and a.mode = c.mode and a.intent_id = c.intent_id
              and a.claim_key = c.claim_key
            ${ONE_BY_KEY}
          ) a
          where c.claim_key = r.claim_key and a.direct ${ONE_BY_KEY}
        ), (
          select true from svc.refused_authorizations a where a.claim_key = r.claim_key and a.closed_at is null
          ${ONE_BY_KEY}
        ), false) as known
    ) found
    left join lateral (
      select c.account_id, c.mode, c.intent_id, c.intent_code from svc.intent_codes c
      where c.intent_code = r.bound_code and ${sqlNotMoved('c.account_id')} ${ONE_BY_KEY}
    ) code on true
    where found.known or code.intent_id is not null
    order by r.place`,
};

type Row = {
  readonly place: number;
  /** It is a processor's, or its authorization is known here. */
  readonly known: boolean;
  /** The intent of the code in its nonce. */
  readonly account_id: Id<'account'> | null;
  readonly mode: 'test' | 'live' | null;
  readonly intent_id: Id<'paymentIntent'> | null;
  readonly intent_code: string | null;
};

export async function selectOwn(
  pool: pg.Pool,
  network: NetworkId,
  logs: readonly MoneyLog[],
): Promise<readonly MoneyLog[]> {
  // Logs of processors need no question.
  if (logs.every((log) => !('nonce' in log))) return logs;
  const { rows } = await pool.query<Row>({
    ...SELECT_OWN,
    values: KEYS.values(logs.map((log) => ({ network, log }))),
  });
  const offered = await loadOffered(
    pool,
    rows.filter(({ known }) => !known),
  );
  return rows.flatMap(({ place, known, intent_id: intentId }) => {
    const log = logs[place - 1];
    if (log === undefined) return [];
    return known || offered === undefined || isBound(network, log, offered.get(intentId ?? '') ?? []) ? log : [];
  });
}

/** Anybody may put the code of an intent into a nonce; the rest of a bound one takes its terms and the installation. */
function isBound(network: NetworkId, log: MoneyLog, offered: readonly PaidTerms[]): boolean {
  if (!('nonce' in log)) return false;
  const { nonce, address } = log;
  const named = readDirectNonce(nonce);
  if (named === undefined) return false;
  const intent = { intentCode: Number(named.intentCode) };
  return findBoundAcceptance({ nonce, network, asset: address }, intent, offered) !== undefined;
}

/** Undefined when one can't be read, as of a token that is not in the catalogue: the reader passes, and applying fails. */
async function loadOffered(
  pool: pg.Pool,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, readonly PaidTerms[]> | undefined> {
  const wanted = [...new Map(rows.map((row) => [row.intent_id, row])).values()].flatMap(
    ({ account_id: accountId, mode, intent_id: intentId, intent_code: code }) =>
      accountId === null || mode === null || intentId === null || code === null
        ? []
        : [{ caller: { accountId, mode }, intentId, code: BigInt(code) }],
  );
  if (wanted.length === 0) return new Map();
  try {
    const offered = await loadAcceptancesOfMany(pool, wanted, 'any');
    const without = wanted.filter((_, index) => (offered[index] ?? []).length === 0);
    const late = await loadLateTerms(
      pool,
      without.map(({ code }) => code),
    );
    return new Map(
      wanted.map(({ intentId, code }, index) => {
        const terms: readonly PaidTerms[] = offered[index] ?? [];
        return [intentId, terms.length > 0 ? terms : (late.get(code)?.offered ?? [])];
      }),
    );
  } catch (problem) {
    if (problem instanceof UnreadableAcceptance) return undefined;
    throw problem;
  }
}

function boundCodeOf(nonce: string): string | null {
  const code = readDirectNonce(nonce)?.intentCode;
  return code === undefined || code >= CODE_END ? null : code.toString();
}
