// Finds transactions that settled, or tried to settle, a payment at a processor, or moved a token to a merchant's wallet,
// in chain order. The search goes by logs, so the sender does not matter.
import type { BlockRange, DirectWallet, FoundTransaction } from '@svc-pay/core';
import { findLogWitness } from '../prove/log-witness.ts';
import { type ChainLog, settledEventOf, TRANSFER } from '../prove/processor-logs.ts';
import { filtersOf, readLogs } from '../prove/read-logs.ts';
import { FAILED, SETTLED, STRANDED_RETURNED, STRANDED_SETTLED } from '../prove/settlement-logs.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

const SPEAKING: ReadonlySet<string | undefined> = new Set([
  SETTLED,
  FAILED,
  STRANDED_SETTLED,
  STRANDED_RETURNED,
  TRANSFER,
]);

export async function* findOnChainTransactions(
  rpc: JsonRpc,
  processors: readonly string[],
  wallets: readonly DirectWallet[],
  range: BlockRange,
): AsyncGenerator<readonly FoundTransaction[]> {
  const sources = { processors, tokens: [], wallets };
  // A node that has dropped old logs answers that there are none.
  const witness = { log: await findLogWitness(rpc, range, filtersOf(sources)) };
  for await (const logs of readLogs(rpc, { ...range, ...sources, witness })) {
    const speaking = logs.filter(({ topics }) => SPEAKING.has(topics[0])).toSorted(inChainOrder);
    yield [...Map.groupBy(speaking, ({ transactionId }) => transactionId)].map(([transactionId, own]) => {
      const events = own.flatMap((log) => settledEventOf(log) ?? []);
      return {
        transactionId,
        blockNumber: own[0]?.blockNumber ?? 0n,
        intentCodes: events.map(({ intentCode }) => intentCode),
        payouts: events.map(({ log, payoutId }) => ({ processor: log.address, payoutId })),
      };
    });
  }
}

function inChainOrder(one: ChainLog, other: ChainLog): number {
  return Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex;
}
