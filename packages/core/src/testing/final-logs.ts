// Final logs as a chain has them for intents of the contract suites, and what the suites read back.
import type { AuthorizationLog, FinalLog, MoneyLog, ProcessorLog, TransferLog } from '../index.ts';
import type { ApplyHarness, OfferedIntent, SignedHere } from './apply-harness.ts';
import { must, type StoredRows } from './store-harness.ts';

export const BLOCK = 200n;
let logCount = 0;

export function positionAt(blockNumber = BLOCK, transactionId?: string): MoneyLog['position'] {
  logCount += 1;
  const id = transactionId ?? `0x${logCount.toString(16).padStart(64, '0')}`;
  return {
    blockNumber,
    blockHash: `0x${blockNumber.toString(16).padStart(64, 'b')}`,
    transactionId: id,
    logIndex: 4 * logCount,
  };
}

export function usedLog(
  intent: OfferedIntent,
  { payer, nonce }: Pick<SignedHere, 'payer' | 'nonce'>,
  block?: bigint,
): AuthorizationLog {
  const address = intent.acceptance.token.address.toLowerCase();
  return { event: 'authorization_used', address, position: positionAt(block), payer, nonce };
}

export function transferOfUse(
  intent: OfferedIntent,
  log: AuthorizationLog,
  change: Partial<TransferLog> = {},
): TransferLog {
  const { payTo, amount } = intent.acceptance;
  return { logIndex: log.position.logIndex + 1, from: log.payer, to: payTo, valueAtomic: amount, ...change };
}

export function receivedLog(
  { intentCode, acceptance }: OfferedIntent,
  change: Partial<ProcessorLog> = {},
): ProcessorLog {
  const { payTo, token, payoutId, amount, shares } = acceptance;
  return {
    event: 'payment_received',
    address: payTo.toLowerCase(),
    position: positionAt(),
    intentCode,
    payer: `0x${'c1'.repeat(20)}`,
    asset: token.address.toLowerCase(),
    payoutId,
    amountAtomic: amount,
    feeAtomic: (amount * BigInt(shares?.feeBps ?? 0)) / 10_000n,
    ...change,
  };
}

/** Its block is a moment ago. */
export function finalOf(
  { nowMs }: Pick<ApplyHarness, 'nowMs'>,
  log: MoneyLog,
  change: Partial<FinalLog> = {},
): FinalLog {
  const received = {
    transferLogIndex: log.position.logIndex - 1,
    feeRecipient: `0x${'fe'.repeat(20)}`,
    escrowedFor: [],
  };
  return {
    log,
    blockTimeSeconds: BigInt(Math.floor(nowMs() / 1_000)),
    transfer: undefined,
    received: log.event === 'payment_received' ? received : undefined,
    ...change,
  };
}

/** Writes the log as the reader does, and applies it. */
export async function applied(harness: ApplyHarness, log: MoneyLog, change: Partial<FinalLog> = {}) {
  await harness.putLog(log);
  return harness.apply.applyLog(harness.network, finalOf(harness, log, change), harness.nowMs());
}

export const liveOf = ({ entries }: StoredRows, payment: string) =>
  Object.fromEntries(
    entries.filter((entry) => entry.payment === payment && entry.live).map(({ account, amount }) => [account, amount]),
  );
export const typesOf = ({ events }: StoredRows, intent: string) =>
  events
    .filter((event) => event.intent === intent)
    .toSorted((one, other) => one.sequence - other.sequence)
    .map(({ type }) => type);

/** The use of an authorization with its transfer, applied. */
export async function used(
  harness: ApplyHarness,
  intent: OfferedIntent,
  signed: SignedHere,
  change: Partial<TransferLog> = {},
  block?: bigint,
) {
  const log = usedLog(intent, signed, block);
  return { log, answer: await applied(harness, log, { transfer: transferOfUse(intent, log, change) }) };
}

export const paymentOf = async (harness: ApplyHarness, id: string) =>
  must((await harness.read()).payments.find((one) => one.id === id));
