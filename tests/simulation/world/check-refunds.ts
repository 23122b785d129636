// The promises about refunds, when all is quiet: per payment, what the chain moved under its refund nonces is what the
// completed refunds say, and at most what was paid.
import { type LedgerEntry, OPEN_REFUND, type StoredRefund } from '@svc-pay/core';
import { type AskedRefundRow, type Tables } from '@svc-pay/core/testing';
import { readRefundNonce } from '@svc-pay/protocol/refund-nonce';
import { USED } from '../chain/chain-state.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { transferOf } from '../chain/simulated-reader-node.ts';
import type { Simulation } from './simulation.ts';

type Seen = Pick<Simulation, 'tables' | 'violate'>;
type Moved = {
  readonly transactionId: string;
  readonly logIndex: number;
  readonly to: string;
  readonly valueAtomic: bigint;
};

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Also what a lane has changed. */
const statusOf = ({ refunds }: Tables, { refund }: AskedRefundRow): StoredRefund['status'] =>
  refunds.get(refund.id)?.status ?? refund.status;

export function openRefunds({ tables }: Pick<Simulation, 'tables'>): readonly string[] {
  const rows = [...tables.askedRefunds.values()];
  return rows
    .filter((row) => (OPEN_REFUND as readonly string[]).includes(statusOf(tables, row)))
    .map(({ refund }) => refund.id);
}

/** Booked by a completed refund, not by the payment itself. */
export function isOfRefund({ proofs }: Tables, { network, transactionId, logIndex }: LedgerEntry): boolean {
  return proofs.get(`${network} ${transactionId} ${logIndex}`)?.refundId !== undefined;
}

/** `leaked`: payments whose merchant gave an unsubmitted signature away. No database can stop what it moves. */
export function checkRefunds({ tables, violate }: Seen, chain: SimulatedChain, leaked: ReadonlySet<string>): void {
  const moved = movedOnChain(chain);
  const rows = [...tables.askedRefunds.values()];
  for (const row of rows) checkRefund({ tables, violate }, row, moved);
  const known = new Map(rows.filter(({ refund }) => refund.status === 'completed').map((row) => [keyOf(row), row]));
  for (const [key, { transactionId }] of moved)
    if (!known.has(key)) violate('refunds true to the chain', `${transactionId} moved money that no refund has`);
  for (const paymentId of new Set(rows.map(({ refund }) => refund.paymentId))) {
    const own = rows.filter(({ refund }) => refund.paymentId === paymentId);
    checkPayment({ tables, violate }, paymentId, own, moved, leaked.has(paymentId));
  }
}

const keyOf = ({ refund }: AskedRefundRow): string => `${refund.wallet} ${refund.nonce}`;

/** By wallet and nonce. */
function movedOnChain(chain: SimulatedChain): ReadonlyMap<string, Moved> {
  const moved = new Map<string, Moved>();
  for (const { transactions } of chain.blocks()) {
    let first = 0;
    for (const { id, logs } of transactions) {
      for (const [index, { topics }] of logs.entries()) {
        const nonce = topics[2] ?? '0x';
        const next = logs[index + 1];
        if (topics[0] !== USED || readRefundNonce(nonce) === undefined || next === undefined) continue;
        const transfer = transferOf(next, first + index + 1);
        if (transfer !== undefined) moved.set(`0x${topics[1]?.slice(26)} ${nonce}`, { ...transfer, transactionId: id });
      }
      first += logs.length;
    }
  }
  return moved;
}

function checkRefund({ tables, violate }: Seen, row: AskedRefundRow, moved: ReadonlyMap<string, Moved>): void {
  const { id, amountAtomic, recipient, transactionId, logIndex } = row.refund;
  const status = statusOf(tables, row);
  const onChain = moved.get(keyOf(row));
  if ((OPEN_REFUND as readonly string[]).includes(status)) violate('all comes to rest', `refund ${id} is ${status}`);
  if (status !== row.refund.status && status !== 'queued' && status !== 'sent')
    violate('one commit', `refund ${id} is ${row.refund.status}, in its lane ${status}`);
  if (status !== 'completed') return;
  const isShown =
    onChain?.transactionId === transactionId &&
    onChain.logIndex === logIndex &&
    onChain.valueAtomic === amountAtomic &&
    onChain.to === recipient;
  if (!isShown) violate('refunds true to the chain', `${id} is completed by ${transactionId}, the chain says else`);
}

function checkPayment(
  { tables, violate }: Seen,
  paymentId: string,
  own: readonly AskedRefundRow[],
  moved: ReadonlyMap<string, Moved>,
  isLeaked: boolean,
): void {
  const payment = tables.payments.get(paymentId);
  const totals = tables.refundTotals.get(paymentId);
  const completed = own.filter(({ refund }) => refund.status === 'completed');
  const keys = new Set(own.map(keyOf));
  const movedAtomic = sum([...keys].map((key) => moved.get(key)?.valueAtomic ?? 0n));
  const allAtomic = sum(completed.map(({ refund }) => refund.amountAtomic ?? 0n));
  const paidAtomic = payment?.paidAmount ?? 0n;
  // What moved beyond the payment is booked, and not counted.
  const refundedAtomic = isLeaked ? (totals?.refundedAtomic ?? 0n) : allAtomic;
  if (refundedAtomic > paidAtomic || (movedAtomic > paidAtomic && !isLeaked))
    violate('never more than paid', `${paymentId}: ${movedAtomic} went back of ${paidAtomic}`);
  if (allAtomic !== movedAtomic)
    violate('refunds true to the chain', `${paymentId}: ${allAtomic} is refunded, the chain moved ${movedAtomic}`);
  if (totals?.refundedAtomic !== refundedAtomic || totals.reservedAtomic !== 0n)
    violate(
      'refund totals',
      `${paymentId}: ${totals?.refundedAtomic} and ${totals?.reservedAtomic} of ${refundedAtomic}`,
    );
  if ((payment?.refundedAmount ?? 0n) !== refundedAtomic)
    violate('refund totals', `${paymentId} shows ${payment?.refundedAmount}, not ${refundedAtomic}`);
  const isWhole = refundedAtomic > 0n && refundedAtomic === paidAtomic;
  if (isWhole !== (payment?.status === 'refunded'))
    violate(
      'statuses true to the chain',
      `${paymentId} is ${payment?.status}, ${refundedAtomic} of ${paidAtomic} is back`,
    );
  checkBooks({ tables, violate }, paymentId, allAtomic);
  if (!isLeaked) checkEvents({ tables, violate }, paymentId, completed.length, isWhole);
}

function checkBooks({ tables, violate }: Seen, paymentId: string, refundedAtomic: bigint): void {
  const entries = tables.entries.filter((entry) => entry.paymentId === paymentId);
  for (const [asset, lines] of Map.groupBy(entries, ({ asset }) => asset)) {
    const total = sum(lines.map(({ amountAtomic }) => amountAtomic));
    if (total !== 0n) violate('books', `${paymentId} sums to ${total} ${asset}`);
  }
  const back = entries.filter((entry) => entry.accountName === 'payer' && isOfRefund(tables, entry));
  const backAtomic = sum(back.map(({ amountAtomic }) => amountAtomic));
  if (backAtomic !== refundedAtomic)
    violate('books', `${paymentId} booked ${backAtomic} of ${refundedAtomic} refunded`);
}

/** Each completed refund is told once: as a part, or as the one that gave the rest back. */
function checkEvents({ tables, violate }: Seen, paymentId: string, completed: number, isWhole: boolean): void {
  const types = [...tables.events.values()]
    .filter((event) => event.paymentId === paymentId)
    .toSorted((one, other) => one.sequence - other.sequence)
    .map(({ type }) => type);
  const after = types.slice(types.lastIndexOf('payment.completed') + 1);
  const whole = after.filter((type) => type === 'payment.refunded').length;
  const parts = after.filter((type) => type === 'payment.updated').length;
  if (completed > 0 && (whole !== Number(isWhole) || whole + parts !== completed))
    violate('each refund told once', `${paymentId} has ${completed} refunds and told ${types.join(', ')}`);
}
