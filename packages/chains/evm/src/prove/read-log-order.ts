// Reads from recent transactions whether a token logs the transfer right after the use of an authorization. Direct payments
// are proven by that order.
import { toEventSelector } from 'viem';
import { askNode, hexOf, numberOf } from '../rpc/ask-node.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { directPairAt, usedOf } from './processor-logs.ts';
import { logsOf } from './read-logs.ts';
import { readReceipts } from './read-receipts.ts';

export type LogOrder = 'used_then_transfer' | 'another' | 'not_seen';

const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
/** Nodes refuse large ranges, and logs of a busy token fill an answer quickly. */
const RANGES = [2_000n, 100n, 10n] as const;
const MOST_USES = 5;

export async function readLogOrder(rpc: JsonRpc, token: string): Promise<LogOrder> {
  const [latest] = await askNode(rpc, [{ method: 'eth_blockNumber', params: [] }]);
  const head = numberOf(latest);
  for (const range of RANGES) {
    const fromBlock = hexOf(head > range ? head - range : 0n);
    const filter = { address: token, topics: [USED], fromBlock, toBlock: hexOf(head) };
    const [answer] = await rpc([{ method: 'eth_getLogs', params: [filter] }]);
    if (answer?.ok !== true) continue;
    return orderOf(rpc, token.toLowerCase(), logsOf(answer.result).slice(-MOST_USES));
  }
  return 'not_seen';
}

async function orderOf(rpc: JsonRpc, token: string, uses: ReturnType<typeof logsOf>): Promise<LogOrder> {
  if (uses.length === 0) return 'not_seen';
  const receipts = await readReceipts(
    rpc,
    uses.map(({ transactionId }) => transactionId),
  );
  const isPaired = uses.every((use) => {
    const own = (receipts.get(use.transactionId)?.logs ?? []).filter(({ address }) => address === token);
    const next = own[own.findIndex(({ logIndex }) => logIndex === use.logIndex) + 1];
    if (next === undefined) return false;
    return directPairAt(own, token, next.logIndex)?.moved.from === usedOf(use)?.payer;
  });
  return isPaired ? 'used_then_transfer' : 'another';
}
