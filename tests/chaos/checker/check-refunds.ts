// Never more back than was paid, no refund twice, completed exactly where the chain moved the money, totals and events as
// the rows, and every refund that a merchant was told is taken comes to its end.
import { type CaseFile, placeOf, sum, type Violation } from './case-file.ts';
import { bodyOf, isOfRefund } from './check-events.ts';
import type { EntryRow, PaymentRow, RefundRow } from './record-evidence.ts';
import type { RefundTold } from './run-evidence.ts';

/** A transfer from a merchant's wallet, as the chain has it. */
export type Moved = {
  readonly transaction: string;
  readonly logIndex: number;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
};

export type RefundChain = {
  /** Under a signature for a refund, by what the wallet saw when it signed. */
  readonly signed: readonly (Moved & { readonly mark: string })[];
  readonly transferAt: (place: string) => Moved | undefined;
  /** Why a refund failed, by what the chain shows; undefined: it should not have. */
  readonly excuseOf: (refund: RefundRow, payment: PaymentRow) => string | undefined;
};

export type RefundFigures = {
  readonly completed: number;
  readonly reported: number;
  readonly failed: number;
  readonly whole: number;
  readonly odd: number;
};

export function countRefunds({ record, oddAt, paymentOf }: CaseFile): RefundFigures {
  const completed = record.refunds.filter(({ status }) => status === 'completed');
  return {
    completed: completed.length,
    reported: completed.filter(({ kind }) => kind === 'reported').length,
    failed: record.refunds.filter(({ status }) => status === 'failed').length,
    whole: record.payments.filter(({ status }) => status === 'refunded').length,
    odd: completed.filter(({ payment }) => oddAt.has(paymentOf.get(payment)?.place ?? '')).length,
  };
}

type Wrong = (is: boolean, rule: string, text: string) => Violation[];
const wrongOf =
  (intent: string | undefined, subject: string): Wrong =>
  (is, rule, text) =>
    is ? [{ rule, ...(intent !== undefined && { intent }), text: `${subject}: ${text}` }] : [];

export function checkRefunds(file: CaseFile, chain: RefundChain): readonly Violation[] {
  const { record } = file;
  const paymentOfMark = new Map(file.run.refundsSigned.map(({ mark, payment }) => [mark, payment]));
  const signedOf = Map.groupBy(chain.signed, ({ mark }) => paymentOfMark.get(mark) ?? '');
  const refundsOf = Map.groupBy(record.refunds, ({ payment }) => payment);
  return [
    ...record.refunds.flatMap((refund) => checkRefund(file, chain, refund)),
    ...checkPlaces(record.refunds),
    ...chain.signed.flatMap((moved) =>
      wrongOf(undefined, placeOf(moved))(
        !file.refundPlaces.has(placeOf(moved)),
        'refunds are true',
        `${moved.value} went back to ${moved.to}, and no refund says so`,
      ),
    ),
    ...record.payments.flatMap((payment) =>
      checkPayment(file, payment, refundsOf.get(payment.id) ?? [], signedOf.get(payment.id) ?? []),
    ),
    ...checkToldRefunds(file),
  ];
}

function checkRefund({ paymentOf }: CaseFile, chain: RefundChain, refund: RefundRow): Violation[] {
  const { id, intent, status, amount, wallet, recipient, transaction, logIndex, failure } = refund;
  const wrong = wrongOf(intent, id);
  const payment = paymentOf.get(refund.payment);
  if (payment === undefined) return wrong(true, 'refunds are true', 'its payment is gone');
  if (status === 'queued' || status === 'sent') return wrong(true, 'none lost', `still ${status} when all was quiet`);
  if (status === 'failed') {
    const excuse = chain.excuseOf(refund, payment);
    return wrong(excuse === undefined, 'refunds are true', `failed with ${failure}, and nothing was wrong with it`);
  }
  if (status !== 'completed') return [];
  const moved = chain.transferAt(`${transaction}:${logIndex}`);
  return [
    ...wrong(
      moved?.from !== wallet || moved.to !== recipient || String(moved.value) !== amount,
      'refunds are true',
      `completed, and the chain has no transfer of ${amount} from ${wallet} to ${recipient} at ${transaction}:${logIndex}`,
    ),
    ...wrong(recipient !== payment.payer, 'refunds are true', `went to ${recipient}, not to the payer`),
  ];
}

function checkPlaces(refunds: readonly RefundRow[]): Violation[] {
  const completed = refunds.filter(({ status }) => status === 'completed');
  return [...Map.groupBy(completed, ({ transaction, logIndex }) => `${transaction}:${logIndex}`)].flatMap(
    ([place, rows]) =>
      rows.length === 1
        ? []
        : rows.map(({ intent, id }) => ({ rule: 'none twice', intent, text: `${id} is not alone at ${place}` })),
  );
}

function checkPayment(
  file: CaseFile,
  payment: PaymentRow,
  refunds: readonly RefundRow[],
  signed: readonly Moved[],
): Violation[] {
  const { id, intent, status } = payment;
  const wrong = wrongOf(intent, id);
  const completed = refunds.filter((refund) => refund.status === 'completed');
  const paid = BigInt(payment.paid ?? 0);
  const counted = sum(completed.map(({ amount }) => BigInt(amount ?? 0)));
  const reported = completed.filter(({ kind }) => kind === 'reported').map(({ amount }) => BigInt(amount ?? 0));
  const moved = sum([...signed.map(({ value }) => value), ...reported]);
  const totals = file.record.refundTotals.find((row) => row.payment === id);
  return [
    ...wrong(moved > paid, 'never more than paid', `${moved} of ${paid} went back`),
    ...wrong(moved !== counted, 'refunds are true', `${counted} is refunded, the chain moved ${moved}`),
    ...wrong(BigInt(payment.refunded ?? 0) !== counted, 'refund totals', `says ${payment.refunded} of ${counted}`),
    ...wrong(
      totals === undefined ? completed.length > 0 : totals.refunded !== String(counted) || totals.paid !== String(paid),
      'refund totals',
      `${JSON.stringify(totals)}, and ${counted} of ${paid} is refunded`,
    ),
    ...wrong(totals !== undefined && totals.reserved !== '0', 'refund totals', `${totals?.reserved} is still reserved`),
    ...wrong(
      (status === 'refunded') !== (counted > 0n && counted === paid),
      'status is true',
      `${status}, and ${counted} of ${paid} is back`,
    ),
    ...checkEventsOf(file, payment, completed),
    ...completed.flatMap((refund) => checkEntries(file, refund)),
  ];
}

/** Each completed refund is told once, in the order of its commits: as a part, or as the one that gave the rest back. */
function checkEventsOf(
  { eventsOfPayment }: CaseFile,
  { id, intent, status }: PaymentRow,
  completed: readonly RefundRow[],
): Violation[] {
  const wrong = wrongOf(intent, id);
  const told = (eventsOfPayment.get(id) ?? []).filter(isOfRefund);
  const types = told.map(({ type }) => type);
  const wholes = types.filter((type) => type === 'payment.refunded').length;
  const amountOf = new Map(completed.map(({ commit, amount }) => [commit, BigInt(amount ?? 0)]));
  let back = 0n;
  const sums = told.every((event) => {
    back += amountOf.get(event.commit) ?? 0n;
    return bodyOf(event).data.object.refundedAmount === String(back);
  });
  return [
    ...wrong(told.length !== completed.length, 'events', `${completed.length} refunds, told ${types.join(', ')}`),
    ...wrong(
      wholes !== (status === 'refunded' ? 1 : 0) || (wholes === 1 && types.at(-1) !== 'payment.refunded'),
      'events',
      `${status}, told ${types.join(', ')}`,
    ),
    ...wrong(!sums, 'events', 'an event of a refund names another sum than the refunds until then'),
    ...wrong(
      told.some(({ commit }) => !amountOf.has(commit)),
      'events',
      'a refund and its event were not written in one commit',
    ),
  ];
}

/** What went back is booked once, where the chain has it, in the refund's own commit. */
function checkEntries({ entriesOf }: CaseFile, refund: RefundRow): Violation[] {
  const { id, payment, intent, transaction, logIndex, wallet, recipient, amount, commit } = refund;
  const own = (entriesOf.get(payment) ?? []).filter(
    (entry) => entry.transaction === transaction && entry.logIndex === logIndex && entry.asset !== 'native',
  );
  const isOne = (name: string, party: string, value: string) =>
    own.filter((entry: EntryRow) => entry.name === name && entry.party === party && entry.amount === value).length ===
    1;
  const booked = own.length === 2 && isOne('merchant', wallet, `-${amount}`) && isOne('payer', recipient, amount ?? '');
  return [
    ...wrongOf(intent, id)(!booked, 'books', `${amount} is booked as ${own.map(lineOf).join(', ') || 'nothing'}`),
    ...wrongOf(intent, id)(
      own.some((entry) => entry.commit !== commit),
      'books',
      'the refund and its entries were not written in one commit',
    ),
  ];
}

const lineOf = ({ name, amount }: EntryRow) => `${name} ${amount}`;

/** Answers that a careful merchant may get besides the good one. */
const ALLOWED: ReadonlySet<string | undefined> = new Set([
  'refund_payment_not_final',
  'refund_exceeds_paid',
  'refund_superseded',
  'refund_limit_reached',
  'refund_canceled',
]);
/** Of a payment that the chain took back for a while. */
const TAKEN_BACK = 'refund_not_possible';
/** Of a grain of what is left: a transfer of another payment that was reported for this one reserves all of it until it is judged. */
const GRAIN = 'refund_too_small';
const BUSY: ReadonlySet<number> = new Set([408, 429]);

function checkToldRefunds({ run, record, paymentOf, reversedPayments }: CaseFile): Violation[] {
  const refundOf = new Map(record.refunds.map((refund) => [refund.id, refund]));
  const wholeAt = new Map(
    [...Map.groupBy(record.refunds, ({ payment }) => payment)]
      .filter(([id]) => paymentOf.get(id)?.status === 'refunded')
      .map(([id, refunds]) => [id, Math.max(...refunds.map(({ completedMs }) => completedMs ?? 0))]),
  );
  const wasWhole = (payment: string, askedAt: number) => (wholeAt.get(payment) ?? Number.POSITIVE_INFINITY) < askedAt;
  const mayBeTold = ({ payment, call, askedAt, error }: RefundTold) =>
    ALLOWED.has(error) ||
    (error === TAKEN_BACK && reversedPayments.has(payment)) ||
    (error === GRAIN && call === 'again' && !wasWhole(payment, askedAt));
  return [
    ...run.refundsGivenUp.flatMap((id) =>
      wrongOf(paymentOf.get(id)?.intent, id)(true, 'none lost', 'its merchant never heard how a refund ended'),
    ),
    ...run.refundsTold.flatMap((told) => {
      const { payment, call, askedAt, http, error, refund: id, status } = told;
      const wrong = wrongOf(paymentOf.get(payment)?.intent, `${payment}, ${call}`);
      const refund = refundOf.get(id ?? '');
      const taken = call === 'submit' || call === 'report';
      return [
        ...wrong(
          http !== null && http >= 400 && http < 500 && !BUSY.has(http) && !mayBeTold(told),
          'told the truth',
          `was told ${http} ${error}`,
        ),
        ...wrong(
          call === 'again' && http === 201 && wasWhole(payment, askedAt),
          'told the truth',
          'another refund of what was given back whole',
        ),
        ...wrong(
          taken &&
            http !== null &&
            http < 300 &&
            (refund === undefined || refund.status === 'prepared' || refund.status === 'canceled'),
          'none lost',
          `${id} was taken, and is ${refund?.status ?? 'not there'}`,
        ),
        ...wrong(
          (status === 'completed' || status === 'failed') && refund?.status !== status,
          'told the truth',
          `${id} was ${status}, and is ${refund?.status}`,
        ),
      ];
    }),
  ];
}
