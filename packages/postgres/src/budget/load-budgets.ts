// Loads what gas budgets have lost, for settle and for a lane's solo queue. Core decides what follows.
import {
  type AtRisk,
  BUDGET_SCOPES,
  type BudgetLimits,
  type BudgetParty,
  type BudgetScope,
  budgetKeys,
  type LaneItem,
  NO_AMOUNTS,
  normalizeAddress,
  PENDING_BATCH,
  type SoloBudget,
  type WalletBudget,
  type WindowAmounts,
} from '@svc-pay/core';
import type pg from 'pg';
import { NOT_MERGED } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import { DAY_BEGINS, NET_LOSS, sumOfWindows } from './budget-windows.ts';

export type WindowRow = { readonly hour: string; readonly day: string };
export const amountsOf = ({ hour, day }: WindowRow): WindowAmounts => ({
  hourAtomic: BigInt(hour),
  dayAtomic: BigInt(day),
});

export const LIMIT_COLUMNS = BUDGET_SCOPES.flatMap((scope) => [`${scope}_hour`, `${scope}_day`]);
type LimitsRow = Readonly<Record<`${BudgetScope}_${'hour' | 'day'}` | 'bound_sends', string>>;
type Limits = { readonly limits: BudgetLimits; readonly boundSends: bigint };
const LIMITS = {
  name: 'load-gas-budgets',
  text: `select ${LIMIT_COLUMNS.join(', ')}, bound_sends from svc.gas_budgets where network = $1`,
};

async function loadLimits(pool: pg.Pool, network: string): Promise<Limits | undefined> {
  const { rows } = await pool.query<LimitsRow>({ ...LIMITS, values: [network] });
  const [row] = rows;
  if (row === undefined) return undefined;
  const limitOf = (scope: BudgetScope) => amountsOf({ hour: row[`${scope}_hour`], day: row[`${scope}_day`] });
  return { limits: byScope(limitOf), boundSends: BigInt(row.bound_sends) };
}

const LOST = {
  name: 'load-budget-uses',
  text: `
    select asked.scope, asked.key, lost.hour, lost.day
    from unnest($2::text[], $3::text[]) as asked (scope, key)
    cross join lateral (
      select ${sumOfWindows(NET_LOSS)} from svc.gas_budget_uses used
      where used.network = $1 and used.scope = asked.scope and used.key = asked.key and used.slot >= ${DAY_BEGINS}
    ) lost`,
};
const PROVEN = {
  name: 'find-proven-wallets',
  text: 'select payer from svc.proven_wallets where network = $1 and payer = any ($2)',
};

/** In the order of `parties`. */
async function loadWallets(
  pool: pg.Pool,
  network: string,
  parties: readonly BudgetParty[],
  limits: BudgetLimits | undefined,
): Promise<readonly WalletBudget[]> {
  const keys = parties.flatMap((party) => [...budgetKeys(party)]);
  const [lost, proven] = await Promise.all([
    pool.query<WindowRow & { scope: BudgetScope; key: string }>({
      ...LOST,
      values: [network, keys.map(([scope]) => scope), keys.map(([, key]) => key)],
    }),
    pool.query<{ payer: string }>({ ...PROVEN, values: [network, parties.map(({ payer }) => payer)] }),
  ]);
  const lostBy = new Map(lost.rows.map((row) => [nameOf(row.scope, row.key), amountsOf(row)]));
  const provenPayers = new Set(proven.rows.map(({ payer }) => payer));
  return parties.map((party) => {
    const own = budgetKeys(party);
    const lostOf = (scope: BudgetScope) => lostBy.get(nameOf(scope, own.get(scope))) ?? NO_AMOUNTS;
    return { limits, lost: byScope(lostOf), proven: provenPayers.has(party.payer) };
  });
}

export async function loadWalletBudget(pool: pg.Pool, network: string, party: BudgetParty): Promise<WalletBudget> {
  const [known, [budget]] = await Promise.all([
    loadLimits(pool, network),
    loadWallets(pool, network, [party], undefined),
  ]);
  if (budget === undefined) throw new Error(`no budget was read for ${party.payer} on ${network}`);
  return { ...budget, limits: known?.limits };
}

const AT_RISK = {
  name: 'load-gas-at-risk',
  text: `
    select batch.at_risk::text as "atRisk", carried.account_id as "accountId", signed.payer,
      '0x' || encode(signed.code_hash, 'hex') as "codeHash"
    from svc.batches batch
    join svc.settlements carried on carried.batch_id = batch.id
    cross join lateral (
      select payer, code_hash from svc.authorizations signed
      where signed.account_id = carried.account_id and signed.mode = carried.mode
        and signed.intent_id = carried.intent_id and signed.claim_key = carried.claim_key
      ${NOT_MERGED}
    ) signed
    where batch.network = $1 and batch.status ${sqlIs(...PENDING_BATCH)} and batch.at_risk is not null
    union all
    select batch.at_risk::text, carried.account_id, lower(carried.wallet), null
    from svc.batches batch join svc.refunds carried on carried.batch_id = batch.id
    where batch.network = $1 and batch.status ${sqlIs(...PENDING_BATCH)} and batch.at_risk is not null`,
};
type AtRiskRow = {
  readonly atRisk: string;
  readonly accountId: string;
  readonly payer: string;
  readonly codeHash: string | null;
};

/** Budgets of payments of the solo queue, with what pending transactions of all lanes of the network may cost. */
export async function loadSoloBudgets(
  pool: pg.Pool,
  network: string,
  items: readonly LaneItem[],
): Promise<readonly SoloBudget[]> {
  const parties = items.map(partyOf);
  // One after the other. What another lane sends meanwhile changes `boundSends`, and what it records is counted as pending
  // and as lost; in another order either could be missed.
  const known = await loadLimits(pool, network);
  const pending = await pool.query<AtRiskRow>({ ...AT_RISK, values: [network] });
  const wallets = await loadWallets(pool, network, parties, known?.limits);
  const sums = new Map<string, AtRisk>();
  for (const { atRisk, codeHash, ...row } of pending.rows) {
    const amount = BigInt(atRisk);
    for (const [scope, key] of budgetKeys({ ...row, codeHash: codeHash ?? undefined })) {
      const { sumAtomic, mostAtomic } = sums.get(nameOf(scope, key)) ?? NOTHING_AT_RISK;
      const most = amount > mostAtomic ? amount : mostAtomic;
      sums.set(nameOf(scope, key), { sumAtomic: sumAtomic + amount, mostAtomic: most });
    }
  }
  return wallets.map((wallet, index) => {
    const party = parties[index];
    const own = party === undefined ? new Map<BudgetScope, string>() : budgetKeys(party);
    const atRiskOf = (scope: BudgetScope) => sums.get(nameOf(scope, own.get(scope))) ?? NOTHING_AT_RISK;
    return { ...wallet, atRisk: byScope(atRiskOf), boundSends: known?.boundSends };
  });
}

const NOTHING_AT_RISK: AtRisk = { sumAtomic: 0n, mostAtomic: 0n };
const partyOf = ({ accountId, payer, codeHash, refund }: LaneItem): BudgetParty => ({
  accountId,
  payer: normalizeAddress(payer),
  codeHash,
  isRefund: refund !== undefined,
});
const nameOf = (scope: BudgetScope, key: string | undefined) => `${scope} ${key ?? '-'}`;

function byScope<Value>(valueOf: (scope: BudgetScope) => Value): Readonly<Record<BudgetScope, Value>> {
  return Object.fromEntries(BUDGET_SCOPES.map((scope) => [scope, valueOf(scope)])) as Record<BudgetScope, Value>;
}
