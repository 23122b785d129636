// The record of an agent's payments, and every change of it as a pure function. A payment is counted from its reservation
// on, before anything is signed; only a reservation that was never signed, or is proved unused, is counted no longer.
import type { ReadLimits } from './limits.ts';

/** What is signed, in the words of EIP-3009. */
export type AgentAuthorization = {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
};

/**
 * `reserved`: counted, no signature recorded, nothing sent. `signed`: the header may have been sent. `answered`: the seller
 * accepted it, and its answer has not been read to the end. `delivered`: it has. `used`: the chain says so, without an answer.
 */
export type AgentPaymentStage = 'reserved' | 'signed' | 'answered' | 'delivered' | 'used';

export type AgentPayment = {
  readonly id: string;
  readonly stage: AgentPaymentStage;
  readonly isKeyed: boolean;
  /** Method, address and body that it pays for, hashed. */
  readonly requestHash: string;
  readonly host: string;
  /** Day of UTC on which it counts: `2026-11-16`. */
  readonly day: string;
  /** What it counts, at 18 decimals. */
  readonly units: string;
  readonly network: string;
  readonly chainId: number;
  readonly asset: string;
  readonly domain: { readonly name: string; readonly version: string };
  readonly primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization';
  readonly authorization: AgentAuthorization;
  /** The payment as it is sent, without its signature. */
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly headerName: string;
  /** The header with the signature. */
  readonly header?: string;
  readonly transaction?: string;
  readonly atMs: number;
};

/** JSON, as a store keeps it. */
export type SpendBook = {
  readonly format: 1;
  /** Units by day and host. */
  readonly days: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By the key of the request. */
  readonly payments: Readonly<Record<string, AgentPayment>>;
};

export const EMPTY_BOOK: SpendBook = { format: 1, days: {}, payments: {} };

/** The same book object: nothing changed, nothing is written. */
export type BookChange<Result> = { readonly book: SpendBook; readonly result: Result };

export type Reservation =
  | { readonly kind: 'reserved'; readonly payment: AgentPayment }
  | { readonly kind: 'existing'; readonly payment: AgentPayment }
  | { readonly kind: 'host_not_allowed' }
  | {
      readonly kind: 'limit_request' | 'limit_host' | 'limit_day';
      readonly leftUnits: bigint;
      /** Day on which it would have counted. */
      readonly day: string;
    };

export function spentOn(
  book: SpendBook,
  day: string,
): { readonly total: bigint; readonly hosts: ReadonlyMap<string, bigint> } {
  const hosts = new Map(Object.entries(book.days[day] ?? {}).map(([host, units]) => [host, BigInt(units)]));
  return { total: [...hosts.values()].reduce((sum, units) => sum + units, 0n), hosts };
}

/** Today, or the newest day in the book: a clock that is set back must not open a day's limit again. */
export function countingDay(book: SpendBook, today: string): string {
  return Object.keys(book.days).reduce((newest, day) => (day > newest ? day : newest), today);
}

/** Counts a payment, unless its request has one already or a limit refuses it. */
export function reserve(
  book: SpendBook,
  key: string,
  draft: AgentPayment,
  limits: ReadLimits,
): BookChange<Reservation> {
  const existing = paymentOf(book, key);
  if (existing !== undefined)
    return { book, result: { kind: existing.id === draft.id ? 'reserved' : 'existing', payment: existing } };
  const payment = { ...draft, day: countingDay(book, draft.day) };
  const { host, day } = payment;
  const units = BigInt(payment.units);
  const perHostUnits = limits.perHostUnits(host);
  if (perHostUnits === undefined) return { book, result: { kind: 'host_not_allowed' } };
  const { total, hosts } = spentOn(book, day);
  const limited = (
    [
      ['limit_request', limits.perRequestUnits],
      ['limit_host', perHostUnits - (hosts.get(host) ?? 0n)],
      ['limit_day', limits.perDayUnits - total],
    ] as const
  ).find(([, left]) => units > left);
  if (limited !== undefined) {
    const [kind, left] = limited;
    return { book, result: { kind, leftUnits: left < 0n ? 0n : left, day } };
  }
  const counted = withPayment(withCount(book, payment, units), key, payment);
  return { book: pruned(counted, payment.atMs), result: { kind: 'reserved', payment } };
}

/** The payment as it must be sent, which another process may have signed first; undefined when it is gone. */
export function recordSignature(
  book: SpendBook,
  key: string,
  id: string,
  header: string,
): BookChange<AgentPayment | undefined> {
  const payment = paymentWith(book, key, id);
  if (payment === undefined || payment.header !== undefined) return { book, result: payment };
  const signed: AgentPayment = { ...payment, stage: 'signed', header };
  return { book: withPayment(book, key, signed), result: signed };
}

/** The seller accepted the payment. */
export function recordAnswer(
  book: SpendBook,
  key: string,
  id: string,
  transaction: string | undefined,
): BookChange<void> {
  const payment = paymentWith(book, key, id);
  if (payment?.stage !== 'signed') return { book, result: undefined };
  const answered: AgentPayment = { ...payment, stage: 'answered', ...(transaction && { transaction }) };
  return { book: withPayment(book, key, answered), result: undefined };
}

/** The answer was read to its end. A request without a key of its own is then free to be bought again. */
export function recordDelivery(book: SpendBook, key: string, id: string): BookChange<void> {
  const payment = paymentWith(book, key, id);
  if (payment === undefined) return { book, result: undefined };
  const after = payment.isKeyed
    ? withPayment(book, key, { ...payment, stage: 'delivered' })
    : withoutPayment(book, key);
  return { book: after, result: undefined };
}

/** The chain shows that the authorization was used. */
export function recordUse(book: SpendBook, key: string, id: string): BookChange<void> {
  const payment = paymentWith(book, key, id);
  if (payment === undefined) return { book, result: undefined };
  return { book: withPayment(book, key, { ...payment, stage: 'used' }), result: undefined };
}

/** Counts a payment no longer: its signature was never recorded, so that it was never sent. */
export function releaseUnsigned(book: SpendBook, key: string, id: string): BookChange<boolean> {
  const payment = paymentWith(book, key, id);
  return payment === undefined || payment.header !== undefined ? { book, result: false } : released(book, key, payment);
}

/** Counts a payment no longer: the chain shows that it is unused and can't be used any more. */
export function releaseUnused(book: SpendBook, key: string, id: string): BookChange<boolean> {
  const payment = paymentWith(book, key, id);
  return payment === undefined ? { book, result: false } : released(book, key, payment);
}

export function paymentOf(book: SpendBook, key: string): AgentPayment | undefined {
  return Object.hasOwn(book.payments, key) ? book.payments[key] : undefined;
}

/** The payment under the key, unless it is another one by now. */
function paymentWith(book: SpendBook, key: string, id: string): AgentPayment | undefined {
  const payment = paymentOf(book, key);
  return payment?.id === id ? payment : undefined;
}

function released(book: SpendBook, key: string, payment: AgentPayment): BookChange<boolean> {
  return { book: withoutPayment(withCount(book, payment, -BigInt(payment.units)), key), result: true };
}

const withPayment = (book: SpendBook, key: string, payment: AgentPayment): SpendBook => ({
  ...book,
  payments: { ...book.payments, [key]: payment },
});

function withoutPayment(book: SpendBook, key: string): SpendBook {
  const { [key]: _, ...payments } = book.payments;
  return { ...book, payments };
}

function withCount(book: SpendBook, { day, host }: AgentPayment, units: bigint): SpendBook {
  const hosts = book.days[day] ?? {};
  const counted = BigInt((Object.hasOwn(hosts, host) ? hosts[host] : undefined) ?? '0') + units;
  return { ...book, days: { ...book.days, [day]: { ...hosts, [host]: (counted < 0n ? 0n : counted).toString() } } };
}

const DAY_MS = 86_400_000;
/** A purchase is forgotten when it is over, older than this and not among so many newer ones. */
const REMEMBERED_DAYS = 30;
const REMEMBERED_PAYMENTS = 10_000;
const COUNTED_DAYS = 400;

/**
 * Nothing is dropped by its age alone: a clock that is set forward and back must not make the agent buy again. What may
 * still be executed is never dropped.
 */
function pruned(book: SpendBook, nowMs: number): SpendBook {
  const days = Object.entries(book.days).sort(([one], [other]) => (one < other ? 1 : -1));
  return {
    ...book,
    days: Object.fromEntries(days.slice(0, COUNTED_DAYS)),
    payments: withoutForgotten(book.payments, nowMs - REMEMBERED_DAYS * DAY_MS),
  };
}

function withoutForgotten(payments: SpendBook['payments'], oldestMs: number): SpendBook['payments'] {
  const over = Object.entries(payments).filter(([, { stage }]) => stage === 'delivered' || stage === 'used');
  if (over.length <= REMEMBERED_PAYMENTS) return payments;
  const older = over.sort(([, one], [, other]) => other.atMs - one.atMs).slice(REMEMBERED_PAYMENTS);
  const forgotten = new Set(older.filter(([, { atMs }]) => atMs < oldestMs).map(([key]) => key));
  return Object.fromEntries(Object.entries(payments).filter(([key]) => !forgotten.has(key)));
}

export const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);
