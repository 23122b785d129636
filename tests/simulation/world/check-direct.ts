// The promises about direct payments, when all is quiet: nothing on chain refuses a second payment of an intent, so the
// tables must.
import type { SettlementRow, Tables } from '@svc-pay/core/testing';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { isOfRefund } from './check-refunds.ts';
import type { DirectBuyer } from './plan-direct.ts';
import type { Simulation } from './simulation.ts';

type Seen = Pick<Simulation, 'tables' | 'violate'>;
type Use = { readonly id: string; readonly foreign: boolean };

const isDirectRow = ({ item }: Pick<SettlementRow, 'item'>): boolean => item.payout.direct !== undefined;

/** The merchant, who is not simulated, must say whether the money was for it. */
export const isHeldForMerchant = (
  { heldForMerchant }: Pick<Tables, 'heldForMerchant'>,
  { item, status }: SettlementRow,
) => status === 'held' && heldForMerchant.has(item.paymentId);

export function checkDirect(
  { tables, violate }: Seen,
  chain: SimulatedChain,
  buyers: ReadonlyMap<string, DirectBuyer>,
): void {
  const uses = usesOnChain(chain);
  const rows = [...tables.settlements.values()].filter(isDirectRow);
  for (const row of rows) checkPayment({ tables, violate }, row, uses, buyers.get(row.claimKey));
  for (const [intentId, own] of Map.groupBy(rows, ({ item }) => item.intentId)) {
    const paid = own.filter((row) => uses.has(keyOf(row)));
    if (paid.length > 1)
      violate('no intent paid twice', `${intentId} by ${paid.map(({ item }) => item.paymentId).join(' ')}`);
  }
  const proofs = [...tables.payments.values()].filter(({ status }) => status === 'completed');
  for (const [split, own] of Map.groupBy(proofs, ({ transactionSplitId }) => transactionSplitId))
    if (own.length > 1) violate('each use booked once', `${split} proves ${own.map(({ id }) => id).join(' ')}`);
}

const keyOf = ({ item }: SettlementRow): string => `${item.payer} ${item.nonce}`;

/** By payer and nonce. */
function usesOnChain(chain: SimulatedChain): ReadonlyMap<string, Use> {
  return new Map(
    chain.blocks().flatMap(({ transactions }) =>
      transactions.flatMap(({ id, foreign, logs }) =>
        logs
          .filter(({ topics, data }) => topics.length === 3 && data === '0x')
          .map(({ topics }) => {
            const key = `0x${topics[1]?.slice(26)} ${topics[2]}`;
            return [key, { id, foreign: foreign === true }] as const;
          }),
      ),
    ),
  );
}

function checkPayment(
  { tables, violate }: Seen,
  row: SettlementRow,
  uses: ReadonlyMap<string, Use>,
  buyer: DirectBuyer | undefined,
): void {
  const { item, status, claimKey } = row;
  const { paymentId, intentId, capAtomic } = item;
  const payment = tables.payments.get(paymentId);
  const direct = tables.authorizations.get(claimKey)?.direct;
  const use = uses.get(keyOf(row));
  const strange = use?.foreign === true && direct?.bound === false;
  if (isHeldForMerchant(tables, row)) {
    if (!strange || buyer?.use !== 'shared') violate('held for a reason', `${paymentId} is held`);
    return;
  }
  if (status !== 'completed' && status !== 'failed') violate('none lost', `${paymentId} is ${status} (${row.refusal})`);
  if (status === 'failed' && buyer?.isSound) violate('none lost', `${paymentId} had to complete`);
  const shown = payment?.status === 'refunded' ? 'completed' : payment?.status;
  if (status !== shown) violate('one commit', `${paymentId} is ${payment?.status}, its settlement ${status}`);
  if ((status === 'completed') !== (use !== undefined))
    violate('nothing fails that can still be paid', `${paymentId} is ${status}, used on chain: ${use?.id}`);
  const paid = status === 'completed' ? capAtomic : 0n;
  if (status === 'completed' && (payment?.transactionId !== use?.id || payment?.paidAmount !== capAtomic))
    violate('statuses true to the chain', `${paymentId} names ${payment?.transactionId}, the chain ${use?.id}`);
  if (status === 'completed' && tables.intents.get(intentId)?.intent.status !== 'completed')
    violate('one commit', `${intentId} is not completed`);
  checkBooks({ tables, violate }, paymentId, paid);
}

function checkBooks({ tables, violate }: Seen, paymentId: string, paidAtomic: bigint): void {
  const entries = tables.entries.filter((entry) => entry.paymentId === paymentId && !isOfRefund(tables, entry));
  const sumOf = (name: string) =>
    entries.filter(({ accountName }) => accountName === name).reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  if (sumOf('merchant') !== paidAtomic || sumOf('payer') !== -paidAtomic)
    violate('books', `${paymentId}: the merchant has ${sumOf('merchant')} of ${paidAtomic}`);
}
