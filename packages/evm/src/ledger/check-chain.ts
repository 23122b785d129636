// The books of one network against its chain. Looking comes before the books are opened and once more after, so that what
// happens meanwhile is neither missed nor taken for an error.
import type { Books, Census, Findings } from '@svc-pay/core';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askNode, NodeRefused, quantityOf } from './ask-node.ts';
import { checkBalances, readHoldings } from './check-balances.ts';
import { checkEvents } from './check-events.ts';
import { checkNonces } from './check-nonces.ts';
import { checkTransactions } from './check-transactions.ts';
import { findUnannounced } from './find-unannounced.ts';
import { createTokenFlows } from './token-flows.ts';

/** A chain before the books were opened. */
export type ChainBefore = {
  readonly chainId: bigint;
  readonly headBlock: bigint;
  /** Transactions of each relayer. */
  readonly counts: ReadonlyMap<string, bigint>;
};

export async function lookAtChain(rpc: JsonRpc, relayers: readonly string[]): Promise<ChainBefore> {
  const [chainId, head, ...counts] = await askNode(rpc, [
    { method: 'eth_chainId', params: [] },
    { method: 'eth_blockNumber', params: [] },
    ...relayers.map((address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })),
  ]);
  return {
    chainId: quantityOf(chainId),
    headBlock: quantityOf(head),
    counts: new Map(relayers.map((address, index) => [address, quantityOf(counts[index])])),
  };
}

export type ChainToCheck = {
  readonly rpc: JsonRpc;
  readonly network: string;
  /** The one in use and those before it: an old one may still owe. */
  readonly processors: readonly string[];
  /** The processor's first block, where it is known; else logs are read from the first recorded batch on. */
  readonly deployedAtBlock: bigint | undefined;
  readonly before: ChainBefore;
};

export const CHAIN_CHECKS = ['events', 'transfers', 'gas', 'balances', 'nonces'] as const;

/** `findings` has `CHAIN_CHECKS`. Throws when the node does not answer: then nothing is proven. */
export async function checkChain(
  books: Books,
  given: ChainToCheck,
  census: Census | undefined,
  findings: Findings,
): Promise<void> {
  const { rpc, network, before } = given;
  const processors = given.processors.map((address) => address.toLowerCase());
  const tokens = [...(census?.tokens ?? [])].filter((token) => /^0x[0-9a-f]{40}$/.test(token));
  const extent = await books.extent(network);
  const [head] = await askNode(rpc, [{ method: 'eth_blockNumber', params: [] }]);
  const toBlock = quantityOf(head);
  const fromBlock = lower(given.deployedAtBlock, extent?.firstBlock) ?? toBlock;
  if (given.deployedAtBlock === undefined)
    findings.note('events', `logs were read from block ${fromBlock} on: no deployment record says where they begin`);

  const holdings = await readHoldings(rpc, processors, tokens, toBlock);
  const flows = createTokenFlows();
  for (const [token, { heldAtomic, owedAtomic }] of await openingHoldings(
    rpc,
    processors,
    tokens,
    fromBlock,
    findings,
  )) {
    flows.add(token, 'heldAtomic', heldAtomic);
    flows.add(token, 'owedAtomic', owedAtomic);
  }
  const range = { rpc, network, processors, tokens, fromBlock, toBlock, knownBlock: before.headBlock };
  const announced = await checkEvents(books, range, flows, findings);
  // A payment may also have completed after the last block that was read: its receipt tells.
  if (announced < (census?.completed ?? 0)) await findUnannounced(books, { rpc, network, processors }, findings);
  await checkTransactions(books, { rpc, network, processors }, findings);
  checkBalances(holdings, flows, census, findings);
  checkNonces(await books.relayers(network), before.counts, findings);
}

function lower(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

/** Before the first block there was nothing, unless the node still remembers better. */
async function openingHoldings(
  rpc: JsonRpc,
  processors: readonly string[],
  tokens: readonly string[],
  fromBlock: bigint,
  findings: Findings,
) {
  if (fromBlock === 0n) return [];
  try {
    return await readHoldings(rpc, processors, tokens, fromBlock - 1n);
  } catch (problem) {
    if (!(problem instanceof NodeRefused)) throw problem;
    findings.note('balances', `the node does not remember block ${fromBlock - 1n}: holdings then are taken as none`);
    return [];
  }
}
