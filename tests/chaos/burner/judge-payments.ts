// Arithmetic over the payments of a run, honest and hostile: which of them break a promise, how many succeeded and how long
// they took.
import { quantile } from '../../quantile.ts';
import type { Violation } from '../checker/case-file.ts';
import type { PaymentAnswer } from './pay-intent.ts';
import type { RelayerTransaction } from './relayer-transactions.ts';

/** A payment as its client knows it. */
export type ClientPayment = {
  readonly intentId: string | undefined;
  readonly nonce: string | undefined;
  readonly answer: PaymentAnswer;
};
type TimedPayment = ClientPayment & { readonly latencyMs: number };

/** A payment as the database has it at the end. */
export type RecordedPayment = {
  readonly intent: string;
  readonly code: string;
  readonly nonce: string | null;
  readonly status: string;
  readonly failure: string | null;
};

type Payments = {
  readonly honest: readonly ClientPayment[];
  readonly hostile: readonly ClientPayment[];
  readonly recorded: readonly RecordedPayment[];
  readonly transactions: readonly RelayerTransaction[];
};

export const DIGITS = 10_000;

/**
 * Every honest payment that was taken is settled once, no payment twice, nobody is told what the chain contradicts, and the
 * chain has nothing that is in no record.
 */
export function findViolations({ honest: taken, hostile, recorded, transactions }: Payments): Violation[] {
  const settled = new Map<string, number>();
  for (const code of transactions.flatMap(({ settledCodes }) => settledCodes)) {
    settled.set(code, (settled.get(code) ?? 0) + 1);
  }
  const recordOf = new Map(recorded.map((row) => [`${row.intent} ${row.nonce}`, row]));
  const judge = (payment: ClientPayment, honest: boolean): readonly Violation[] => {
    const { intentId, nonce, answer } = payment;
    const row = recordOf.get(`${intentId} ${nonce}`);
    const times = settled.get(row?.code ?? '') ?? 0;
    const who = honest ? 'honest' : 'hostile';
    const found: string[] = [];
    if (times > 1) found.push(`settled ${times} times`);
    if (answer.status === 'succeeded' && times === 0) found.push('answered as succeeded, not on the chain');
    if (answer.status === 'failed' && times > 0) found.push('answered as failed, on the chain');
    if (row?.status === 'completed' && times === 0) found.push('recorded as completed, not on the chain');
    if (row !== undefined && row.status !== 'completed' && times > 0)
      found.push(`on the chain, recorded ${row.status}`);
    if (honest && row !== undefined && times === 0) found.push(`taken and never settled: ${row.failure ?? row.status}`);
    return found.map((text) => ({ rule: who, text, ...(intentId !== undefined && { intent: intentId }) }));
  };
  const known = new Set(recorded.map(({ code }) => code));
  const unrecorded = [...settled.keys()].filter((code) => !known.has(code));
  return [
    ...taken.flatMap((payment) => judge(payment, true)),
    ...hostile.flatMap((payment) => judge(payment, false)),
    ...unrecorded.map((code) => ({ rule: 'record', text: `intent ${code} is settled on the chain and in no record` })),
  ];
}

export const gasOf = (transactions: readonly RelayerTransaction[]): bigint =>
  transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);

export const refusalOf = (answer: PaymentAnswer): readonly string[] => ('code' in answer ? [answer.code] : []);

export function tally(words: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));
}

/** Of those that succeeded: what did not counts in the share of success. */
export function latenciesOf(payments: readonly TimedPayment[]): { readonly p50: number; readonly p99: number } {
  const took = payments.filter(({ answer }) => answer.status === 'succeeded').map(({ latencyMs }) => latencyMs);
  return { p50: Math.round(quantile(took, 0.5)), p99: Math.round(quantile(took, 0.99)) };
}

export function successOf(payments: readonly ClientPayment[]): number {
  const succeeded = payments.filter(({ answer }) => answer.status === 'succeeded').length;
  return Math.floor((succeeded * DIGITS) / Math.max(1, payments.length)) / DIGITS;
}

export const ratio = (one: number, other: number): number => Math.round((one * 100) / other) / 100;

/** Gas of transactions that settled nothing, to the gas of those that settled honest payments; null without any of these. */
export const shareOf = (gasLost: bigint, gasHonest: bigint): number | null =>
  gasHonest === 0n ? null : Number((gasLost * BigInt(DIGITS)) / gasHonest) / DIGITS;
