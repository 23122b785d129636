// The promises about payments on a token ledger. What they must be is worked out from the ledger's blocks and the intents alone.
import type { Intent, StoredPayment, TokenBlock } from '@svc-pay/core';
import type { Simulation } from '../world/simulation.ts';
import { codeIn } from './ledger-payers.ts';
import { MERCHANT_ACCOUNT, RIVAL_ACCOUNT } from './plan-payers.ts';
import type { SimulatedTokenLedger } from './simulated-token-ledger.ts';

type Seen = Pick<Simulation, 'tables' | 'violate'>;
type Paid = { readonly name: string; readonly amountAtomic: bigint; readonly from: string; readonly timeMs: number };

/** At any time: each payment is of a block that the ledger has, and no two are of one. */
export function lookAtPayments(
  { tables, violate }: Seen,
  { ledger, blocks }: Pick<SimulatedTokenLedger, 'ledger' | 'blocks'>,
): void {
  const payments = [...tables.payments.values()];
  for (const [name, own] of Map.groupBy(payments, ({ transactionId }) => transactionId ?? ''))
    if (own.length > 1) violate('each block once', `${name} is ${own.map(({ id }) => id).join(' ')}`);
  const real = new Map(blocks.map((block) => [`${ledger}:${block.index}`, block.transfer]));
  for (const { id, transactionId, paidAmount, payer } of payments) {
    const transfer = real.get(transactionId ?? '');
    if (transfer?.amountAtomic !== paidAmount || transfer?.from !== payer)
      violate('no forged block counts', `${id} names ${transactionId}, ${paidAmount} of ${payer}`);
  }
}

/** When all is quiet. */
export function checkLedger(seen: Seen, ledger: SimulatedTokenLedger, intents: readonly Intent[]): void {
  lookAtPayments(seen, ledger);
  const paid = new Map<string, Paid[]>(intents.map(({ id }) => [id, []]));
  for (const block of ledger.blocks) {
    const intent = intents.find(({ intentCode }) => intentCode === codeIn(block.transfer?.memo ?? null));
    const name = `${ledger.ledger}:${block.index}`;
    const meaning = meaningOf(block, intent);
    checkBlock(seen, name, block, meaning);
    if (meaning !== 'payment' || block.transfer === null || intent === undefined) continue;
    const { amountAtomic, from } = block.transfer;
    paid.get(intent.id)?.push({ name, amountAtomic, from, timeMs: Number(block.timestampNs / 1_000_000n) });
  }
  for (const intent of intents) checkIntent(seen, intent, paid.get(intent.id) ?? []);
}

function meaningOf({ transfer }: TokenBlock, intent: Intent | undefined): 'payment' | 'receipt' | 'nothing' {
  if (transfer === null || codeIn(transfer.memo) === undefined) return 'nothing';
  if (transfer.to !== MERCHANT_ACCOUNT) return transfer.to === RIVAL_ACCOUNT ? 'receipt' : 'nothing';
  return intent === undefined || transfer.amountAtomic * 100n < intent.amount ? 'receipt' : 'payment';
}

function checkBlock({ tables, violate }: Seen, name: string, { transfer }: TokenBlock, meaning: string): void {
  const payments = [...tables.payments.values()].filter(({ transactionId }) => transactionId === name);
  const receipts = [...tables.proofs.values()].filter(
    ({ transactionId, paymentId }) => transactionId === name && paymentId === null,
  );
  const wanted = { payment: [1, 0], receipt: [0, 1], nothing: [0, 0] }[meaning];
  if (wanted?.[0] !== payments.length || wanted[1] !== receipts.length)
    violate('no transfer missed', `${name} is a ${meaning}: ${payments.length} payments, ${receipts.length} receipts`);
  for (const { id } of payments) {
    const entries = tables.entries.filter(({ paymentId }) => paymentId === id);
    const sumOf = (account: string) =>
      entries
        .filter(({ accountName }) => accountName === account)
        .reduce((sum, { amountAtomic: one }) => sum + one, 0n);
    const amountAtomic = transfer?.amountAtomic ?? 0n;
    if (entries.length !== 2 || sumOf('merchant') !== amountAtomic || sumOf('payer') !== -amountAtomic)
      violate('books', `${id}: the merchant has ${sumOf('merchant')} of ${amountAtomic}`);
  }
}

/** Whatever order its blocks were applied in. */
function checkIntent({ tables, violate }: Seen, intent: Intent, paid: readonly Paid[]): void {
  const { id, intentCode, amount, expectedSender, expiresAtMs } = intent;
  const inTime = paid.filter((one) => one.timeMs < expiresAtMs && isSender(one.from, expectedSender));
  const sum = inTime.reduce((total, { amountAtomic }) => total + amountAtomic, 0n);
  const status = tables.intents.get(id)?.intent.status;
  const wanted = sum >= amount ? 'completed' : 'canceled';
  if (status !== wanted)
    violate('statuses true to the ledger', `intent ${intentCode} is ${status}, with ${sum} of ${amount} in time`);
  const payments = paid.flatMap(({ name }) =>
    [...tables.payments.values()].filter(({ transactionId }) => transactionId === name),
  );
  checkPayments({ tables, violate }, intent, payments, inTime, wanted === 'completed');
  const types = [...tables.events.values()].filter(({ intentId }) => intentId === id);
  const count = (type: string) => types.filter((event) => event.type === type).length;
  const sequences = types.map(({ sequence }) => sequence).toSorted((one, other) => one - other);
  const completed = payments.filter((payment) => payment.status === 'completed').length;
  const told = [count('payment.created'), count('payment.completed'), count('payment.updated')];
  const due = [payments.length, completed, payments.length - completed];
  if (told.join() !== due.join() || sequences.some((sequence, place) => sequence !== place + 1))
    violate('each event once', `intent ${intentCode} tells ${told.join()}, and had to tell ${due.join()}`);
}

const isSender = (from: string, expected: string | null): boolean =>
  expected === null || from === expected || from.startsWith(`${expected}-`);

function checkPayments(
  { violate }: Seen,
  { intentCode, amount }: Intent,
  payments: readonly StoredPayment[],
  inTime: readonly Paid[],
  isPaid: boolean,
): void {
  const completed = payments.filter(({ status }) => status === 'completed');
  const others = payments.filter(({ status }) => status !== 'completed' && status !== 'mismatched');
  if (completed.length !== (isPaid ? 1 : 0) || others.length > 0)
    violate('statuses true to the ledger', `intent ${intentCode} has ${payments.map(({ status }) => status).join()}`);
  const total = payments.reduce((sum, { paidAmount }) => sum + (paidAmount ?? 0n), 0n);
  const due = payments.reduce((sum, { refundDueAmount }) => sum + (refundDueAmount ?? 0n), 0n);
  const kept = isPaid ? amount : inTime.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  if (due !== total - kept) violate('what was not asked for is due back', `intent ${intentCode}: ${due} of ${total}`);
}
