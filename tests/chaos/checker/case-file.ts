// All evidence of a run, put side by side once for every rule that is asked of it.
import type { ChainEvidence, SettledLog, TransferLog } from './chain-evidence.ts';
import type { DirectLog } from './direct-evidence.ts';
import type { EntryRow, EventRow, IntentRow, PaymentRow, RecordEvidence } from './record-evidence.ts';
import type { RunEvidence } from './run-evidence.ts';

/** `intent` is what the history of a violation is told by; some concern nobody's payment alone. */
export type Violation = { readonly rule: string; readonly intent?: string; readonly text: string };

export type CaseFile = {
  readonly run: RunEvidence;
  readonly record: RecordEvidence;
  readonly chain: ChainEvidence;
  readonly intentOf: ReadonlyMap<string, IntentRow>;
  readonly paymentOf: ReadonlyMap<string, PaymentRow>;
  readonly paymentsOfIntent: ReadonlyMap<string, readonly PaymentRow[]>;
  /** Through the processor or directly: a direct payment is a settlement of its whole value, without a fee. */
  readonly settledOfCode: ReadonlyMap<string, readonly SettledLog[]>;
  /** Settlements in blocks that the chain gave up. */
  readonly orphaned: readonly SettledLog[];
  /** By place: payers called `pay` with less than was asked. */
  readonly oddAt: ReadonlyMap<string, SettledLog>;
  readonly transferAt: ReadonlyMap<string, TransferLog>;
  /** Logs by which refunds completed. */
  readonly refundPlaces: ReadonlySet<string>;
  /** What merchants sent back themselves and no refund counts. */
  readonly unprovenTransfers: readonly TransferLog[];
  readonly entriesOf: ReadonlyMap<string, readonly EntryRow[]>;
  readonly eventsOfPayment: ReadonlyMap<string, readonly EventRow[]>;
  /** Payments of which something was booked back, because the chain took it back. */
  readonly reversedPayments: ReadonlySet<string>;
};

export function openCase(run: RunEvidence, record: RecordEvidence, chain: ChainEvidence): CaseFile {
  const { intents, payments, entries, events } = record;
  const codeOf = new Map(intents.map(({ id, code }) => [id, code]));
  // By what clients noted when they signed, not by what the service made of it.
  const intentOfNonce = new Map([...run.journeys, ...run.told].map(({ nonce, intent }) => [nonce, intent]));
  const settledBy = ({ nonce, payer, value, transaction, logIndex, blockNumber }: DirectLog): SettledLog => ({
    code: codeOf.get(intentOfNonce.get(nonce) ?? '') ?? `of the unknown nonce ${nonce}`,
    payer,
    token: run.setting.token,
    cap: value,
    settled: value,
    fee: 0n,
    transaction,
    logIndex,
    blockNumber,
  });
  const refundPlaces = new Set(
    record.refunds.filter(({ status }) => status === 'completed').map((row) => `${row.transaction}:${row.logIndex}`),
  );
  const sentBack = new Set(run.sentBack.map(({ transaction }) => transaction));
  return {
    run,
    record,
    chain,
    intentOf: new Map(intents.map((intent) => [intent.id, intent])),
    paymentOf: new Map(payments.map((payment) => [payment.id, payment])),
    paymentsOfIntent: Map.groupBy(payments, ({ intent }) => intent),
    settledOfCode: Map.groupBy([...chain.settled, ...chain.direct.map(settledBy)], ({ code }) => code),
    orphaned: [...run.orphaned, ...run.orphanedDirect.map(settledBy)],
    oddAt: new Map(chain.received.map((log) => [placeOf(log), log])),
    transferAt: new Map(chain.transfers.map((transfer) => [placeOf(transfer), transfer])),
    refundPlaces,
    unprovenTransfers: chain.transfers.filter(
      (transfer) => sentBack.has(transfer.transaction) && !refundPlaces.has(placeOf(transfer)),
    ),
    entriesOf: Map.groupBy(entries, ({ payment }) => payment),
    eventsOfPayment: Map.groupBy(events, ({ payment }) => payment ?? ''),
    reversedPayments: new Set(entries.filter(({ reverses }) => reverses !== null).map(({ payment }) => payment)),
  };
}

const PAID: ReadonlySet<string> = new Set(['completed', 'refunded']);

/** The payment as it was asked for is made, whether or not it was given back. */
export const isSuccess = ({ oddAt }: CaseFile, { status, place }: PaymentRow): boolean =>
  PAID.has(status) && !oddAt.has(place ?? '');

/** A log of the chain by where it stands. */
export const placeOf = ({
  transaction,
  logIndex,
}: {
  readonly transaction: string;
  readonly logIndex: number;
}): string => `${transaction}:${logIndex}`;

/** Entries that stand: neither taken back nor taking back. */
export function liveEntries(entries: readonly EntryRow[]): readonly EntryRow[] {
  const reversed = new Set(entries.map(({ reverses }) => reverses));
  return entries.filter(({ id, reverses }) => reverses === null && !reversed.has(id));
}

/** What the books say each transaction lost, by transaction. */
export function lostIn({ losses }: RecordEvidence): ReadonlyMap<string, bigint> {
  const lost = Map.groupBy(losses, ({ transaction }) => transaction);
  return new Map([...lost].map(([id, rows]) => [id, sum(rows.map(({ amount }) => BigInt(amount)))]));
}

export const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
