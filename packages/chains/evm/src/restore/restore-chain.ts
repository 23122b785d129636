// RestoreChain over JSON-RPC.
import type { RestoreChain } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { numberToHex } from 'viem';
import { traceAuthorizations } from '../finality/trace-authorizations.ts';
import { findMined } from '../prove/find-mined.ts';
import { askChain, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { countAt, findByNonce } from './find-by-nonce.ts';
import { findOnChainTransactions } from './find-on-chain-transactions.ts';
import { readChainFacts } from './read-chain-facts.ts';
import { readOnChainTransaction } from './read-on-chain-transaction.ts';

async function timeOfBlock(rpc: JsonRpc, block: bigint): Promise<bigint> {
  const [answer] = await askChain(rpc, [{ method: 'eth_getBlockByNumber', params: [numberToHex(block), false] }]);
  return quantityOf(fieldOf(resultOf(answer), 'timestamp'));
}

export function createRestoreChain(rpc: JsonRpc, network: NetworkId): RestoreChain {
  return {
    readFacts: (keys) => readChainFacts(rpc, network, keys),
    findTransactions: (...given) => findOnChainTransactions(rpc, ...given),
    readTransactions: (...given) => readOnChainTransaction(rpc, network, ...given),
    findByNonce: (...given) => findByNonce(rpc, ...given),
    countAt: (...given) => countAt(rpc, ...given),
    findStranding: async ({ carried, sinceSeconds, fromBlock, toBlock }) => {
      const claimedAtSeconds = sinceSeconds ?? (await timeOfBlock(rpc, fromBlock));
      const traced = { ...carried, claimedAtSeconds, item: null };
      const [outcome] = await traceAuthorizations(rpc, [traced], toBlock);
      if (outcome?.outcome !== 'stranded') return undefined;
      const { transactionId, logIndex } = outcome;
      return { transactionId, logIndex };
    },
    findMined: (batches) => findMined(rpc, batches),
  };
}
