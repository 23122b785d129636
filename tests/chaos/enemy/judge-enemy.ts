// What a run says: honest payers with and without the attackers, gas that settled nothing, what each attacker was answered,
// and every broken promise. Arithmetic alone.
import { formatEther } from 'viem';
import { quantile } from '../../quantile.ts';
import {
  type ClientPayment,
  DIGITS,
  findViolations,
  gasOf,
  latenciesOf,
  type RecordedPayment,
  ratio,
  refusalOf,
  shareOf,
  successOf,
  tally,
} from '../burner/judge-payments.ts';
import type { RelayerTransaction } from '../burner/relayer-transactions.ts';
import type { Violation } from '../checker/case-file.ts';
import { bodyOf } from './api-client.ts';
import type { HostileAttempt } from './attacker.ts';
import type { CrowdKind, CrowdPayment } from './honest-crowd.ts';
import type { AttackerRecord } from './onslaught.ts';
import type { Arrival, Receiver } from './told-merchants.ts';

export type TimedRecord = RecordedPayment & { readonly account: string; readonly completedAtMs: number | null };

/** What happened to payments, and which of it merchants heard. */
export type ToldEvidence = {
  readonly recorded: readonly TimedRecord[];
  readonly arrivals: readonly Arrival[];
  /** Accounts whose servers want to hear of completed payments. */
  readonly toldAccounts: ReadonlySet<string>;
};

export type EnemyEvidence = ToldEvidence & {
  /** Payments before the quiet part: they find everything cold, and no figure counts them. */
  readonly warmUp: readonly CrowdPayment[];
  readonly quiet: readonly CrowdPayment[];
  readonly attacked: readonly CrowdPayment[];
  readonly hostile: readonly AttackerRecord[];
  readonly transactions: readonly RelayerTransaction[];
  /** First blocks of the rehearsal, of the quiet part and of the attack. Gas counts in the rehearsal and the attack. */
  readonly rehearsalBlock: number;
  readonly quietBlock: number;
  readonly attackBlock: number;
  /** Requests that `hostile` made in the rehearsal. */
  readonly rehearsedRequests: number;
  readonly attackSeconds: number;
  /** Hostile requests a second that were asked for. */
  readonly hostileAsked: number;
  /** Loss of gas in the books since the rehearsal began, in wei. */
  readonly bookedLossWei: bigint;
};

/** What a run has to show. */
export const BARS = { honest_success: 0.995, p99_ratio: 2, gas_lost_share: 0.02, hostile_share: 0.95 } as const;

/** A spent budget may end the payment of a contract wallet that never paid, before anything was sent: nobody else's. */
const BUDGET_SPENT = 'gas_budget_spent';

export type EnemyFigures = ReturnType<typeof judgeEnemy>;

export function judgeEnemy(evidence: EnemyEvidence) {
  const { warmUp, quiet, attacked, hostile, recorded, transactions, attackSeconds, hostileAsked } = evidence;
  const attempts = hostile.flatMap((record) => record.attempts);
  const hostileNonces = new Set(attempts.map(({ nonce }) => nonce));
  const hostileCodes = new Set(recorded.filter(({ nonce }) => hostileNonces.has(nonce ?? '')).map(({ code }) => code));
  const during = transactions.filter(({ blockNumber }) => isBesideAttackers(evidence, blockNumber));
  const lost = during.filter(({ settledCodes }) => settledCodes.length === 0);
  const honest = during.filter(({ settledCodes }) => settledCodes.some((code) => !hostileCodes.has(code)));
  const [gasLost, gasHonest] = [gasOf(lost), gasOf(honest)];
  const [calm, pressed] = [latenciesOf(regularsOf(quiet)), latenciesOf(regularsOf(attacked))];
  const requests = hostile.reduce((sum, { sent }) => sum + sent, 0) - evidence.rehearsedRequests;
  const honestCodes = honestRecords(evidence).map(({ code }) => code);
  const figures = {
    honest_success: successOf(regularsOf(attacked)),
    p99_ratio: ratio(pressed.p99, calm.p99),
    gas_lost_share: shareOf(gasLost, gasHonest),
    hostile_share: partOf(requests, attackSeconds * hostileAsked),
    honest_sent: regularsOf(attacked).length,
    honest_success_quiet: successOf(regularsOf(quiet)),
    honest_ended: endsOf(regularsOf(attacked)),
    p50_quiet_ms: calm.p50,
    p50_attack_ms: pressed.p50,
    p50_ratio: ratio(pressed.p50, calm.p50),
    p99_quiet_ms: calm.p99,
    p99_attack_ms: pressed.p99,
    ...summaryOf('wallets', ofKind(quiet, 'wallet'), ofKind(attacked, 'wallet')),
    ...summaryOf('fresh', ofKind(quiet, 'fresh'), ofKind(attacked, 'fresh')),
    gas_lost: String(gasLost),
    eth_lost: formatEther(lost.reduce((sum, { feeWei }) => sum + feeWei, 0n)),
    gas_honest: String(gasHonest),
    gas_booked_share: bookedShareOf(evidence.bookedLossWei, during),
    transactions: during.length,
    settled_nothing: lost.length,
    honest_settled: honestCodes.length,
    hostile_sent: requests,
    hostile_per_s: Math.round(requests / attackSeconds),
    told_p99_ms: delayOf(evidence, 'fast'),
    told_flooded_p99_ms: delayOf(evidence, 'flooded'),
    attackers: Object.fromEntries(hostile.map((record) => [record.name, attackerFigures(record, evidence)])),
  };
  const closedTo = new Set(recorded.filter(({ failure }) => failure === BUDGET_SPENT).map(({ intent }) => intent));
  const isClosedTo = ({ kind, intentId }: CrowdPayment) => kind === 'fresh' && closedTo.has(intentId ?? '');
  const violations: Violation[] = [
    ...findViolations({
      honest: [...warmUp, ...quiet, ...attacked].filter((payment) => !isClosedTo(payment)),
      hostile: attempts.map(clientPayment),
      recorded,
      transactions,
    }),
    ...hostile.flatMap(brokenAnswers),
    ...findUntold(evidence),
  ];
  return { ...figures, violations, bars_missed: missedBars(figures) };
}

const isBesideAttackers = ({ rehearsalBlock, quietBlock, attackBlock }: EnemyEvidence, block: number): boolean =>
  block >= attackBlock || (block >= rehearsalBlock && block < quietBlock);

type Barred = Readonly<Record<'honest_success' | 'p99_ratio' | 'hostile_share', number>> & {
  readonly gas_lost_share: number | null;
};

/** A figure that is not known misses its bar. */
function missedBars(figures: Barred): readonly (keyof typeof BARS)[] {
  const { honest_success, p99_ratio, gas_lost_share, hostile_share } = figures;
  const kept = {
    honest_success: honest_success >= BARS.honest_success,
    p99_ratio: p99_ratio <= BARS.p99_ratio,
    gas_lost_share: gas_lost_share !== null && gas_lost_share <= BARS.gas_lost_share,
    hostile_share: hostile_share >= BARS.hostile_share,
  };
  return (Object.keys(BARS) as (keyof typeof BARS)[]).filter((bar) => !kept[bar]);
}

/** Wallets that nobody has seen before are counted apart. */
const regularsOf = (payments: readonly CrowdPayment[]) => payments.filter(({ kind }) => kind !== 'fresh');
const ofKind = (payments: readonly CrowdPayment[], kind: CrowdKind) => payments.filter((one) => one.kind === kind);

const endsOf = (payments: readonly CrowdPayment[]) =>
  tally(
    payments
      .filter(({ answer }) => answer.status !== 'succeeded')
      .map(({ answer }) => refusalOf(answer)[0] ?? answer.status),
  );

function summaryOf<Name extends string>(
  name: Name,
  quiet: readonly CrowdPayment[],
  attacked: readonly CrowdPayment[],
): Readonly<Record<`${Name}_${'sent' | 'success' | 'p99_quiet_ms' | 'p99_attack_ms'}`, number>> &
  Readonly<Record<`${Name}_ended`, Readonly<Record<string, number>>>> {
  return {
    [`${name}_sent`]: attacked.length,
    [`${name}_success`]: successOf(attacked),
    [`${name}_ended`]: endsOf(attacked),
    [`${name}_p99_quiet_ms`]: latenciesOf(quiet).p99,
    [`${name}_p99_attack_ms`]: latenciesOf(attacked).p99,
  } as ReturnType<typeof summaryOf<Name>>;
}

function honestRecords({ attacked, recorded }: EnemyEvidence): readonly TimedRecord[] {
  const intents = new Set(attacked.map(({ intentId }) => intentId));
  return recorded.filter(({ intent, completedAtMs }) => completedAtMs !== null && intents.has(intent));
}

/** From completion to the first arrival, of payments of the attack; null when nobody was told. */
function delayOf(evidence: EnemyEvidence, receiver: Receiver): number | null {
  const arrivedAt = new Map(
    evidence.arrivals.filter((one) => one.receiver === receiver).map(({ intentId, atMs }) => [intentId, atMs]),
  );
  const delays = honestRecords(evidence).flatMap(({ intent, completedAtMs }) => {
    const atMs = arrivedAt.get(intent);
    return atMs === undefined || completedAtMs === null ? [] : [atMs - completedAtMs];
  });
  return delays.length === 0 ? null : Math.round(quantile(delays, 0.99));
}

/** What the books call a loss, to the rest of what all transactions cost; null without any rest. */
function bookedShareOf(lossWei: bigint, transactions: readonly RelayerTransaction[]): number | null {
  const costWei = transactions.reduce((sum, { feeWei }) => sum + feeWei, 0n);
  return costWei > lossWei ? shareOf(lossWei, costWei - lossWei) : null;
}

/** Merchants hear of every completed payment, and of no other. */
export function findUntold({ recorded, arrivals, toldAccounts }: ToldEvidence): readonly Violation[] {
  const told = new Set(arrivals.map(({ intentId }) => intentId));
  const completed = recorded.filter(({ completedAtMs }) => completedAtMs !== null);
  const paid = new Set(completed.map(({ intent }) => intent));
  const untold = completed.filter(({ account, intent }) => toldAccounts.has(account) && !told.has(intent));
  const falsely = [...told].filter((intent) => !paid.has(intent));
  return [
    ...untold.map(({ intent }) => ({ rule: 'told', intent, text: 'completed, and its merchant was not told' })),
    ...falsely.map((intent) => ({ rule: 'told', intent, text: 'its merchant was told that it completed' })),
  ];
}

/** `shown`: headers that it sent. `taken`: those that became payments. */
function attackerFigures(
  { finding, addresses, sent, strikes, skipped, answers, attempts }: AttackerRecord,
  { recorded }: EnemyEvidence,
) {
  const nonces = new Set(attempts.map(({ nonce }) => nonce));
  const taken = recorded.filter(({ nonce }) => nonces.has(nonce ?? ''));
  return {
    finding,
    addresses,
    sent,
    strikes,
    skipped,
    answers,
    shown: attempts.length,
    taken: taken.length,
    ended: tally(taken.map(({ status, failure }) => failure ?? status)),
  };
}

function clientPayment({ intentId, nonce, answer }: HostileAttempt): ClientPayment {
  const { status, error } = answer?.http === 200 ? bodyOf(answer) : {};
  const failed = { status: 'failed', code: String(error), retryable: false } as const;
  if (status === 'failed') return { intentId, nonce, answer: failed };
  return { intentId, nonce, answer: { status: status === 'succeeded' ? 'succeeded' : 'unknown' } };
}

/** Whatever an attacker sends, the API has a reason for its answer; and an attacker that fails by itself proves nothing. */
function brokenAnswers({ name, broken, problems }: AttackerRecord): readonly Violation[] {
  return [
    ...(broken > 0 ? [{ rule: 'answers', text: `${name}: ${broken} answers were internal errors` }] : []),
    ...(problems.length > 0
      ? [{ rule: 'attacker', text: `${name}: ${problems.length} strikes failed: ${problems[0] ?? ''}` }]
      : []),
  ];
}

/** Of a count to another, with four digits. */
export const partOf = (count: number, of: number): number => Math.round((count * DIGITS) / Math.max(1, of)) / DIGITS;
