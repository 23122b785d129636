// Which payouts the logs of a registry name since a block. Every node is asked and all that they name are taken: a node that
// hides a log, or is behind, hides no change that another one tells of. What is named is read by a quorum afterwards.
import { ChainUnavailable } from '@svc-pay/core';
import { encodeEventTopics, numberToHex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { askChain, askLatestBlock, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import { collectNodeViews } from '../rpc/collect-node-views.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

/** Blocks that are read again: nodes that are behind, and blocks that were replaced. */
const OVERLAP = 64n;
/** Many nodes refuse to answer a larger range of blocks in one query. */
const MOST_BLOCKS = 2_000n;
/** More than a registry changes in such a range. */
const MOST_NAMED = 5_000;

const [REGISTERED] = encodeEventTopics({ abi: paymentProcessorAbi, eventName: 'PayoutRegistered' });
const [RETIRED] = encodeEventTopics({ abi: paymentProcessorAbi, eventName: 'PayoutRetired' });

export type RegistryChanges = {
  /** Of most nodes. */
  readonly headBlock: bigint;
  /** `lost`: the logs since that block are too many to be read, and any payout may have changed. */
  readonly payoutIds: readonly bigint[] | 'lost';
};

type View = { readonly head: bigint; readonly ids: readonly bigint[] };

/** `since` undefined: the logs were not followed before. */
export async function readRegistryChanges(
  voters: readonly JsonRpc[],
  processor: string,
  since: bigint | undefined,
): Promise<RegistryChanges> {
  if (since === undefined) {
    const heads = await collectNodeViews(voters, async (node) => ({ head: await readHead(node), ids: [] }));
    return { headBlock: middleHead(heads), payoutIds: 'lost' };
  }
  const fromBlock = since > OVERLAP ? since - OVERLAP : 0n;
  const views = await collectNodeViews(voters, (node) => readView(node, processor, fromBlock));
  const headBlock = middleHead(views);
  const payoutIds = [...new Set(views.flatMap(({ ids }) => ids))];
  const isLost = headBlock - fromBlock > MOST_BLOCKS || payoutIds.length > MOST_NAMED;
  return { headBlock, payoutIds: isLost ? 'lost' : payoutIds };
}

async function readHead(node: JsonRpc): Promise<bigint> {
  const [block] = await askChain(node, [askLatestBlock]);
  return quantityOf(fieldOf(resultOf(block), 'number'));
}

async function readView(node: JsonRpc, processor: string, fromBlock: bigint): Promise<View> {
  const head = await readHead(node);
  // Behind the range: it has nothing to tell. Far beyond it: the caller reads all payouts.
  if (head < fromBlock || head - fromBlock > MOST_BLOCKS) return { head, ids: [] };
  const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(head) };
  const [answer] = await askChain(node, [
    { method: 'eth_getLogs', params: [{ ...range, address: processor, topics: [[REGISTERED, RETIRED]] }] },
  ]);
  const logs = resultOf(answer);
  if (!Array.isArray(logs)) throw new ChainUnavailable('the node answers no logs');
  return { head, ids: logs.map(payoutOf) };
}

function payoutOf(log: unknown): bigint {
  const topics = fieldOf(log, 'topics');
  return quantityOf(Array.isArray(topics) ? shortest(topics[1]) : undefined);
}

/** A quantity has no leading zeros, as a topic has. */
const shortest = (topic: unknown) =>
  typeof topic === 'string' && /^0x[0-9a-f]{64}$/i.test(topic) ? numberToHex(BigInt(topic)) : undefined;

/** No single node of three moves it: the lower one of two. */
function middleHead(views: readonly View[]): bigint {
  const heads = views.map(({ head }) => head).toSorted((one, other) => (one < other ? -1 : 1));
  return heads[Math.floor((heads.length - 1) / 2)] ?? 0n;
}
