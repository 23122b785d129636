// One relayer key on one EVM network: what a lane asks of its chain, answered by nodes and a signer.
import type { LaneChain, SignedTransaction } from '@svc-pay/core';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import { bytesToHex, parseTransaction } from 'viem';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { TransactionSigner } from '../signer/transaction-signer.ts';
import { askChain, quantityOf, resultOf } from './ask-chain.ts';
import { broadcast } from './broadcast.ts';
import { findMined } from './find-mined.ts';
import { fitBatch } from './fit-batch.ts';
import { DEFAULT_CALL_GAS } from './gas-limit.ts';
import { laneCall } from './lane-call.ts';
import { rehearse } from './rehearse.ts';
import { signTransaction } from './sign-transaction.ts';
import { DEFAULT_TIP_BOUNDS, type Fees, outbid, readFees, type TipBounds } from './transaction-fees.ts';

export type LaneChainOptions = {
  readonly network: NetworkId;
  readonly rpc: JsonRpc;
  /** The network's nodes each on its own: a transaction is offered to the next when one does not take it. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  readonly signer: TransactionSigner;
  /** The most that the processor lets one transfer burn, over the tokens it takes; 200,000 unless told. */
  readonly callGas?: bigint;
  readonly tipBounds?: TipBounds;
};

export function createLaneChain(options: LaneChainOptions): LaneChain {
  const { network, rpc, endpoints, signer, callGas = DEFAULT_CALL_GAS, tipBounds = DEFAULT_TIP_BOUNDS } = options;
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw new RangeError(`${network} is not an EVM network`);
  return {
    fit: (queue) => fitBatch(queue, callGas),
    rehearse: (items) => rehearse({ rpc, relayer: signer.address, callGas }, items),
    sign: async (items, nonce, replaced) => {
      const fresh = await readFees(rpc, tipBounds);
      const fees = replaced === undefined ? fresh : outbid(fresh, feesIn(replaced));
      return signTransaction(signer, { chainId, nonce, call: laneCall(items, callGas), fees });
    },
    broadcast: (raw) => broadcast(endpoints, raw),
    findMined: (batches) => findMined(rpc, batches),
    minedNonce: async () => {
      const params = [signer.address, 'latest'];
      const [count] = await askChain(rpc, [{ method: 'eth_getTransactionCount', params }]);
      return quantityOf(resultOf(count));
    },
  };
}

function feesIn({ raw }: SignedTransaction): Fees {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(bytesToHex(raw));
  return { maxFeePerGas, maxPriorityFeePerGas };
}
