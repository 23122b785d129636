// Finds transactions that settled, or tried to settle, a payment at a processor, in chain order. The search goes by
// logs, so the sender does not matter.
import type { BlockRange, FoundTransaction } from '@svc-pay/core';
import { settledEventOf } from '../prove/processor-logs.ts';
import { readLogs } from '../prove/read-logs.ts';
import { FAILED, SETTLED, STRANDED_RETURNED, STRANDED_SETTLED } from '../prove/settlement-logs.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

const SPEAKING: ReadonlySet<string | undefined> = new Set([SETTLED, FAILED, STRANDED_SETTLED, STRANDED_RETURNED]);

export async function* findOnChainTransactions(
  rpc: JsonRpc,
  processors: readonly string[],
  range: BlockRange,
): AsyncGenerator<readonly FoundTransaction[]> {
  for await (const logs of readLogs(rpc, { ...range, processors, tokens: [] })) {
    const speaking = logs.filter(({ topics }) => SPEAKING.has(topics[0]));
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
