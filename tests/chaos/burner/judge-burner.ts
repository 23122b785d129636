// What a run says: gas that settled nothing beside the gas of honest payments, latencies with and without the attack, and
// whether any payment was settled twice or told of falsely. Arithmetic alone.
import { formatEther } from 'viem';
import type { HostilePayment } from './burner-attack.ts';
import type { HonestPayment } from './honest-payers.ts';
import {
  findViolations,
  gasOf,
  latenciesOf,
  type RecordedPayment,
  ratio,
  refusalOf,
  shareOf,
  successOf,
  tally,
} from './judge-payments.ts';
import type { RelayerTransaction } from './relayer-transactions.ts';

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
    violations: findViolations({ ...evidence, honest: [...evidence.warmUp, ...quiet, ...attacked] }),
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
    gas_lost_share: shareOf(gasLost, gasHonest),
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

function mostTransactions(transactions: readonly RelayerTransaction[], nonces: ReadonlySet<string>): number {
  const counts = Object.values(tally(transactions.flatMap((one) => one.nonces.filter((nonce) => nonces.has(nonce)))));
  return counts.reduce((most, count) => Math.max(most, count), 0);
}
