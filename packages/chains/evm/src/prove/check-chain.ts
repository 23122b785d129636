// Compares the books of one network with its chain. The chain is read before the books are opened and again afterwards,
// so that a payment settled meanwhile is neither missed nor reported as an error.
import type { Books, Census, Findings } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { askNode, NodeRefused, numberOf } from '../rpc/ask-node.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { checkBalances, readHoldings } from './check-balances.ts';
import { checkDirectIncome, checkDirectPayments, listHeld } from './check-direct.ts';
import { checkEvents } from './check-events.ts';
import { checkNonces } from './check-nonces.ts';
import { listUnattributed } from './check-receipts.ts';
import { checkTransactions } from './check-transactions.ts';
import { findUnannounced } from './find-unannounced.ts';
import { createTokenFlows } from './token-flows.ts';

/** State of a chain before the books were opened. */
export type ChainBefore = {
  readonly chainId: bigint;
  readonly headBlock: bigint;
  /** Transaction count of each relayer. */
  readonly counts: ReadonlyMap<string, bigint>;
};

export async function readChainBefore(rpc: JsonRpc, relayers: readonly string[]): Promise<ChainBefore> {
  const [chainId, head, ...counts] = await askNode(rpc, [
    { method: 'eth_chainId', params: [] },
    { method: 'eth_blockNumber', params: [] },
    ...relayers.map((address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })),
  ]);
  return {
    chainId: numberOf(chainId),
    headBlock: numberOf(head),
    counts: new Map(relayers.map((address, index) => [address, numberOf(counts[index])])),
  };
}

export type ChainToCheck = {
  readonly rpc: JsonRpc;
  readonly network: NetworkId;
  /** The processor in use and its predecessors: an old one may still owe money. */
  readonly processors: readonly string[];
  /** The processor's first block if known; otherwise logs are read from the first recorded batch on. */
  readonly deployedAtBlock: bigint | undefined;
  readonly before: ChainBefore;
};

export const CHAIN_CHECKS = ['events', 'transfers', 'gas', 'balances', 'nonces', 'direct', 'receipts'] as const;

/** `findings` has `CHAIN_CHECKS`. Throws when the node does not answer: nothing is proven then. */
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
  const toBlock = numberOf(head);
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
  const knownBlock = before.headBlock;
  const cursors = await books.cursors(network);
  const range = { rpc, network, processors, tokens, fromBlock, toBlock, knownBlock, cursors };
  const announced = await checkEvents(books, range, flows, findings);
  const bySource = census?.bySource ?? { settled: 0, direct: 0, received: 0 };
  // A payment may also have completed after the last block that was read: its receipt shows that.
  if (announced.settled < bySource.settled || announced.received < bySource.received)
    await findUnannounced(books, { rpc, network, processors }, findings);
  await checkDirectPayments(books, { rpc, network }, findings);
  await checkDirectIncome(books, { rpc, network, knownBlock, toBlock }, findings);
  await listHeld(books, network, findings);
  await listUnattributed(books, network, findings);
  await checkTransactions(books, { rpc, network, processors }, findings);
  checkBalances(holdings, flows, census, findings);
  checkNonces(await books.relayers(network), before.counts, findings);
}

function lower(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

/** Holdings before the first block: none, unless the node still has the state of the block before it. */
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
