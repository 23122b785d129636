// Every transfer with a memo of ours to an account of ours counts once, nothing else counts, and intents stand as the blocks
// that pay them say.
import { sum, type Violation } from '../case-file.ts';
import type { PaymentRow } from '../record-evidence.ts';
import { codeIn, type IcpCase, type NotedIntent, wrong } from './icp-case.ts';
import type { LedgerTransfer } from './ledger-evidence.ts';

export function checkIcpMoney(own: IcpCase): readonly Violation[] {
  return [...checkBlocks(own), ...checkPayments(own), ...checkIntents(own), ...checkLeft(own)];
}

/** Transfers to a merchant whose memo has our form, whoever's intent that is. */
function oursIn({ transfers, intents }: IcpCase): readonly LedgerTransfer[] {
  const merchants = new Set(intents.map(({ merchant }) => merchant));
  return transfers.filter((transfer) => codeIn(transfer) !== undefined && merchants.has(transfer.to));
}

function checkBlocks(own: IcpCase): Violation[] {
  const { record } = own.file;
  const intentOfCode = new Map(record.intents.map(({ code, id }) => [code, id]));
  const proofsAt = Map.groupBy(own.own.proofs, ({ transaction }) => transaction);
  const paymentsAt = Map.groupBy(record.payments, ({ transaction }) => transaction ?? '');
  return oursIn(own).flatMap((transfer) => {
    const { name } = transfer;
    const intent = intentOfCode.get(codeIn(transfer) ?? '');
    const proofs = proofsAt.get(name) ?? [];
    const payments = paymentsAt.get(name) ?? [];
    return [
      ...wrong(proofs.length === 0, 'none lost', `block ${name} counts for nothing`, intent),
      ...wrong(proofs.length > 1, 'none twice', `block ${name} counts ${proofs.length} times`, intent),
      ...wrong(payments.length > 1, 'none twice', `block ${name} is ${payments.length} payments`, intent),
      ...wrong(
        proofs.length === 1 && (intent === undefined) !== (proofs[0]?.payment === null),
        'status is true',
        `block ${name} is ${proofs[0]?.payment ?? `a receipt (${proofs[0]?.reason})`}`,
        intent,
      ),
    ];
  });
}

/** Every payment is a transfer that the ledger has, of its intent, with its amount and payer. */
function checkPayments({ file: { record, intentOf }, transfers, own }: IcpCase): Violation[] {
  const transferOf = new Map(transfers.map((transfer) => [transfer.name, transfer]));
  return [
    ...record.payments.flatMap(({ id, intent, transaction, paid, payer }) => {
      const transfer = transferOf.get(transaction ?? '');
      if (transfer === undefined)
        return wrong(true, 'no forged money', `${id}: the ledger has no transfer ${transaction}`, intent);
      return [
        ...wrong(
          codeIn(transfer) !== intentOf.get(intent)?.code,
          'no forged money',
          `${id}: ${transaction} has the memo ${transfer.memo}`,
          intent,
        ),
        ...wrong(
          String(transfer.amount) !== paid || payer !== transfer.from,
          'no forged money',
          `${id}: ${paid} of ${payer}, and ${transaction} moved ${transfer.amount} of ${transfer.from}`,
          intent,
        ),
      ];
    }),
    ...own.proofs.flatMap(({ transaction, payment, reason }) =>
      wrong(
        !transferOf.has(transaction),
        'no forged money',
        `${payment ?? reason}: the ledger has no transfer ${transaction}`,
      ),
    ),
  ];
}

function checkIntents(own: IcpCase): Violation[] {
  const { file, intents } = own;
  const blocksOf = Map.groupBy(oursIn(own), (transfer) => codeIn(transfer) ?? '');
  const dueOf = new Map(own.own.dues.map(({ payment, due }) => [payment, BigInt(due ?? 0)]));
  return intents.flatMap((noted) => {
    const { intent, journey, kind } = noted;
    const row = file.intentOf.get(intent);
    if (row === undefined) return wrong(true, 'none lost', `journey ${journey} (${kind}): its intent is gone`, intent);
    const blocks = (blocksOf.get(row.code) ?? []).filter(({ to }) => to === noted.merchant);
    const payments = file.paymentsOfIntent.get(intent) ?? [];
    return [
      ...judge(noted, row, blocks, payments, dueOf),
      ...wrong(
        file.run.gaveUp.includes(journey),
        'none lost',
        `journey ${journey} (${kind}) never heard how it ended: ${row.status}`,
        intent,
      ),
    ];
  });
}

/** Blocks that count are those in time of the right sender. What they sum up to decides, in whichever order they counted. */
function judge(
  { intent, asked, sender, late, kind }: NotedIntent,
  row: { readonly status: string; readonly named: string | null },
  blocks: readonly LedgerTransfer[],
  payments: readonly PaymentRow[],
  dueOf: ReadonlyMap<string, bigint>,
): Violation[] {
  const counting = late ? [] : blocks.filter(({ from }) => sender === null || from === sender);
  const [paid, price] = [sum(counting.map(({ amount }) => amount)), BigInt(asked)];
  const aside = sum(blocks.map(({ amount }) => amount)) - paid;
  const expected = paid >= price ? 'completed' : paid > 0n ? 'mismatched' : late ? 'canceled' : 'requires_payment';
  const ofStatus = (status: string) => payments.filter((payment) => payment.status === status);
  const due = sum(payments.map(({ id }) => dueOf.get(id) ?? 0n));
  const expectedDue = aside + (paid > price ? paid - price : 0n);
  const completed = ofStatus('completed');
  return [
    ...wrong(row.status !== expected, 'status is true', `${kind}: ${row.status}, ${paid} of ${price} is paid`, intent),
    ...wrong(
      payments.length !== blocks.length,
      'none lost',
      `${kind}: ${payments.length} payments of ${blocks.length} blocks`,
      intent,
    ),
    ...wrong(
      completed.length + ofStatus('refunded').length > 1,
      'none twice',
      `${kind}: ${payments.map(({ status }) => status).join(', ')}`,
      intent,
    ),
    ...wrong(
      completed.some(({ id }) => row.status !== 'completed' || row.named !== id),
      'status is true',
      `${kind}: ${row.status}, names ${row.named}, completed is ${completed[0]?.id}`,
      intent,
    ),
    ...wrong(due !== expectedDue, 'status is true', `${kind}: ${due} is due back, not ${expectedDue}`, intent),
  ];
}

function checkLeft({ own, transfers, file }: IcpCase): Violation[] {
  const last = transfers.reduce((most, { index }) => (index > most ? index : most), 0n);
  return [
    ...own.waiting.flatMap(({ block }) => wrong(true, 'none lost', `${block} still waits when all was quiet`)),
    ...own.cursors.flatMap(({ next, stopped }) => [
      ...wrong(stopped, 'none lost', 'the cursor has stopped'),
      ...wrong(BigInt(next) <= last, 'none lost', `read up to ${next}, and the ledger has ${last}`),
    ]),
    ...wrong(own.cursors.length !== 1, 'none lost', `${own.cursors.length} cursors`),
    ...file.record.payments.flatMap(({ id, status, intent }) =>
      wrong(status === 'pending', 'none lost', `${id} is pending when all was quiet`, intent),
    ),
  ];
}
