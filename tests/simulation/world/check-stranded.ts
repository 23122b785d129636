// The promises about stranded money, when all is quiet: each transfer is settled or returned once, in the tables and on
// the chain, and nothing else lies with the processor.
import type { AuthorizationRow, StrandedRow } from '@svc-pay/core/testing';
import { PROCESSOR } from '../chain/chain-state.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { isOfRefund } from './check-refunds.ts';
import type { Simulation } from './simulation.ts';

type Seen = Pick<Simulation, 'tables' | 'violate'>;

const keyOf = ({ payer, nonce }: Pick<AuthorizationRow, 'payer' | 'nonce'>) => `${payer} ${nonce}`;

/** Authorizations that a stranger submitted, by the longest chain. */
function submittedOnChain(chain: SimulatedChain): ReadonlyMap<string, string> {
  const mined = chain.blocks().flatMap(({ transactions }) => transactions);
  return new Map(
    mined.flatMap(({ id, submits, reverted }) => (submits === undefined || reverted ? [] : [[keyOf(submits), id]])),
  );
}

/** What is left to do with stranded money; a transfer waits as long as its merchant may still settle. */
export function openStranded({ tables }: Pick<Simulation, 'tables'>, chain: SimulatedChain): readonly string[] {
  const submitted = submittedOnChain(chain);
  return [...tables.authorizations].flatMap(([key, signed]) => {
    const row = tables.stranded.get(key);
    // A direct payment strands nothing.
    if (signed.direct !== undefined) return [];
    if (row === undefined) return submitted.has(keyOf(signed)) ? [`${key} is not found`] : [];
    if (row.status === 'done' || row.status === 'blocked' || isWaiting(tables, row)) return [];
    return [`${key} is ${row.action} ${row.status}`];
  });
}

function isWaiting({ intents, authorizations }: Simulation['tables'], { action, intentId, claimKey }: StrandedRow) {
  const isOpen = intents.get(intentId)?.intent.status === 'requires_payment';
  return action === 'hold' && isOpen && authorizations.get(claimKey)?.paymentId === null;
}

export function checkStranded({ tables, violate }: Seen, chain: SimulatedChain): void {
  const submitted = submittedOnChain(chain);
  const resolved = chain
    .blocks()
    .flatMap(({ transactions }) => transactions)
    .flatMap((transaction) => transaction.resolved ?? []);
  let waitingAtomic = 0n;
  for (const [key, row] of tables.stranded) {
    const signed = tables.authorizations.get(key) as AuthorizationRow;
    const own = resolved.filter((one) => one.key === keyOf(signed));
    if (isWaiting(tables, row)) {
      waitingAtomic += signed.capAtomic;
      if (own.length > 0) violate('stranded money moves once', `${key} waits, and the chain has moved it`);
      continue;
    }
    if (submitted.get(keyOf(signed)) !== row.position.transactionId)
      violate('stranded money moves once', `${key} is recorded at ${row.position.transactionId}, the chain says else`);
    if (row.status !== 'done' || own.length !== 1 || own[0]?.action !== row.action) {
      violate(
        'stranded money moves once',
        `${key} is ${row.action} ${row.status} ${row.reason}, moved ${own.length} times`,
      );
    }
    const status = tables.payments.get(row.paymentId ?? '')?.status;
    if ((status === 'completed' || status === 'refunded') !== (row.action === 'settle'))
      violate('statuses true to the chain', `${row.paymentId} is ${status}, its money is to ${row.action}`);
    checkBooks({ tables, violate }, row, signed.capAtomic);
  }
  const lies = chain.head().state.balances.get(PROCESSOR) ?? 0n;
  if (lies !== waitingAtomic)
    violate('stranded money moves once', `${lies} lies with the processor, not ${waitingAtomic}`);
}

function checkBooks({ tables, violate }: Seen, { paymentId, action }: StrandedRow, capAtomic: bigint): void {
  const sumOf = (name: string) =>
    tables.entries
      .filter((entry) => entry.paymentId === paymentId && entry.accountName === name && !isOfRefund(tables, entry))
      .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  if (sumOf('payer') !== -capAtomic) violate('books', `${paymentId}: ${sumOf('payer')} left its payer`);
  if (sumOf('stranded') !== 0n) violate('books', `${paymentId}: ${sumOf('stranded')} is still stranded`);
  if (action === 'return' && sumOf('refund') !== capAtomic)
    violate('books', `${paymentId}: ${sumOf('refund')} was returned, not ${capAtomic}`);
}
