// RestoreChain over JSON-RPC.
import type { RestoreChain } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { findMined } from '../prove/find-mined.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { countAt, findByNonce } from './find-by-nonce.ts';
import { findOnChainTransactions } from './find-on-chain-transactions.ts';
import { readChainFacts } from './read-chain-facts.ts';
import { readOnChainTransaction } from './read-on-chain-transaction.ts';

export function createRestoreChain(rpc: JsonRpc, network: NetworkId): RestoreChain {
  return {
    readFacts: (keys) => readChainFacts(rpc, network, keys),
    findTransactions: (...given) => findOnChainTransactions(rpc, ...given),
    readTransactions: (transactionIds) => readOnChainTransaction(rpc, network, transactionIds),
    findByNonce: (...given) => findByNonce(rpc, ...given),
    countAt: (...given) => countAt(rpc, ...given),
    findMined: (batches) => findMined(rpc, batches),
  };
}
