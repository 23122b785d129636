// What a run says: gas that settled nothing beside the gas of honest payments, latencies with and without the attack, and
// whether any payment was settled twice or told of falsely. Arithmetic alone.
import { formatEther } from 'viem';
import { quantile } from '../../quantile.ts';
import type { Violation } from '../checker/case-file.ts';
import type { HostilePayment } from './burner-attack.ts';
import type { HonestPayment } from './honest-payers.ts';
import type { PaymentAnswer } from './pay-intent.ts';
import type { RelayerTransaction } from './relayer-transactions.ts';

/** A payment as the database has it at the end. */
export type RecordedPayment = {
  readonly intent: string;
  readonly code: string;
  readonly nonce: string | null;
  readonly status: string;
  readonly failure: string | null;
};

export type BurnerEvidence = {
  /** The first payments of a run, which find everything cold; no figure counts them. */
  readonly warmUp: readonly HonestPayment[];
  readonly quiet: readonly HonestPayment[];
  readonly attacked: readonly HonestPayment[];
  readonly hostile: readonly HostilePayment[];
  readonly recorded: readonly RecordedPayment[];
  readonly transactions: readonly RelayerTransaction[];
  /** The first block of the attack. */
  readonly attackBlock: number;
};

export type BurnerFigures = ReturnType<typeof judgeBurner>;

const OPEN = 'pending';
const DIGITS = 10_000;

export function judgeBurner(evidence: BurnerEvidence) {
  const { quiet, attacked, hostile, recorded, transactions, attackBlock } = evidence;
  const hostileNonces = new Set(hostile.flatMap(({ nonce }) => nonce ?? []));
  const taken = recorded.filter(({ nonce }) => nonce !== null && hostileNonces.has(nonce));
  const takenNonces = new Set<string | null | undefined>(taken.map(({ nonce }) => nonce));
  const during = transactions.filter(({ blockNumber }) => blockNumber >= attackBlock);
  const lost = during.filter(({ settledCodes }) => settledCodes.length === 0);
  const carriesHostile = ({ nonces }: RelayerTransaction) => nonces.some((nonce) => hostileNonces.has(nonce));
  const hostileCodes = new Set(taken.map(({ code }) => code));
  const honest = during.filter(({ settledCodes }) => settledCodes.some((code) => !hostileCodes.has(code)));
  const gasLost = gasOf(lost);
  const gasHonest = gasOf(honest);
  const [calm, pressed] = [latenciesOf(quiet), latenciesOf(attacked)];
  return {
    violations: findViolations(evidence),
    hostile_sent: hostile.length,
    hostile_taken: taken.length,
    hostile_refused: tally(hostile.flatMap(({ nonce, answer }) => (takenNonces.has(nonce) ? [] : refusalOf(answer)))),
    hostile_ended: tally(taken.map(({ status, failure }) => failure ?? status)),
    hostile_paid: taken.filter(({ status }) => status === 'completed').length,
    hostile_open: taken.filter(({ status }) => status === OPEN).length,
    transactions: during.length,
    reverted: during.filter(({ succeeded }) => !succeeded).length,
    settled_nothing: lost.length,
    hostile_beside_honest: honest.filter(carriesHostile).length,
    hostile_transactions_max: mostTransactions(during, hostileNonces),
    gas_lost: String(gasLost),
    eth_lost: formatEther(lost.reduce((sum, { feeWei }) => sum + feeWei, 0n)),
    gas_honest: String(gasHonest),
    gas_lost_share: gasHonest === 0n ? null : Number((gasLost * BigInt(DIGITS)) / gasHonest) / DIGITS,
    honest_sent: attacked.length,
    honest_success: successOf(attacked),
    honest_success_quiet: successOf(quiet),
    honest_ended: tally([...quiet, ...attacked].flatMap(({ answer }) => refusalOf(answer))),
    p50_quiet_ms: calm.p50,
    p50_attack_ms: pressed.p50,
    p50_ratio: ratio(pressed.p50, calm.p50),
    p99_quiet_ms: calm.p99,
    p99_attack_ms: pressed.p99,
    p99_ratio: ratio(pressed.p99, calm.p99),
  };
}

/** Every honest payment that was taken is settled once, no payment twice, and nobody is told what the chain does not have. */
function findViolations({ warmUp, quiet, attacked, hostile, recorded, transactions }: BurnerEvidence): Violation[] {
  const settled = new Map<string, number>();
  for (const code of transactions.flatMap(({ settledCodes }) => settledCodes)) {
    settled.set(code, (settled.get(code) ?? 0) + 1);
  }
  const recordOf = new Map(recorded.map((row) => [`${row.intent} ${row.nonce}`, row]));
  const judge = (payment: HonestPayment | HostilePayment, honest: boolean): readonly Violation[] => {
    const { intentId, nonce, answer } = payment;
    const row = recordOf.get(`${intentId} ${nonce}`);
    const times = settled.get(row?.code ?? '') ?? 0;
    const who = honest ? 'honest' : 'hostile';
    const found: string[] = [];
    if (times > 1) found.push(`settled ${times} times`);
    if (answer.status === 'succeeded' && times === 0) found.push('answered as succeeded, not on the chain');
    if (row?.status === 'completed' && times === 0) found.push('recorded as completed, not on the chain');
    if (row !== undefined && row.status !== 'completed' && times > 0)
      found.push(`on the chain, recorded ${row.status}`);
    if (honest && row !== undefined && times === 0) found.push(`taken and never settled: ${row.failure ?? row.status}`);
    return found.map((text) => ({ rule: who, text, ...(intentId !== undefined && { intent: intentId }) }));
  };
  return [
    ...[...warmUp, ...quiet, ...attacked].flatMap((payment) => judge(payment, true)),
    ...hostile.flatMap((payment) => judge(payment, false)),
  ];
}

const gasOf = (transactions: readonly RelayerTransaction[]): bigint =>
  transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);

const refusalOf = (answer: PaymentAnswer): readonly string[] => ('code' in answer ? [answer.code] : []);

function tally(words: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));
}

function mostTransactions(transactions: readonly RelayerTransaction[], nonces: ReadonlySet<string>): number {
  const counts = Object.values(tally(transactions.flatMap((one) => one.nonces.filter((nonce) => nonces.has(nonce)))));
  return counts.reduce((most, count) => Math.max(most, count), 0);
}

/** Of those that succeeded: what did not counts in the share of success. */
function latenciesOf(payments: readonly HonestPayment[]): { readonly p50: number; readonly p99: number } {
  const took = payments.filter(({ answer }) => answer.status === 'succeeded').map(({ latencyMs }) => latencyMs);
  return { p50: Math.round(quantile(took, 0.5)), p99: Math.round(quantile(took, 0.99)) };
}

function successOf(payments: readonly HonestPayment[]): number {
  const succeeded = payments.filter(({ answer }) => answer.status === 'succeeded').length;
  return Math.floor((succeeded * DIGITS) / Math.max(1, payments.length)) / DIGITS;
}

const ratio = (one: number, other: number): number => Math.round((one * 100) / other) / 100;
