// One relayer key on one EVM network: what a lane asks of its chain, answered by nodes and a signer.
import type { LaneChain, SignedTransaction } from '@svc-pay/core';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { TransactionSigner } from '../signer/transaction-signer.ts';
import { askChain, quantityOf, resultOf } from './ask-chain.ts';
import { broadcast } from './broadcast.ts';
import { findMined } from './find-mined.ts';
import { fitBatch } from './fit-batch.ts';
import { DEFAULT_CALL_GAS } from './gas-limit.ts';
import { laneCall } from './lane-call.ts';
import { readOffer } from './read-offer.ts';
import { rehearseSurely } from './rehearse-surely.ts';
import { findReplaced, readNonceRange } from './relayer-nonces.ts';
import { signTransaction } from './sign-transaction.ts';
import {
  DEFAULT_MAX_FEE_WEI,
  DEFAULT_TIP_BOUNDS,
  outbid,
  readFees,
  stillGood,
  type TipBounds,
} from './transaction-fees.ts';

export type LaneChainOptions = {
  readonly network: NetworkId;
  readonly rpc: JsonRpc;
  /** The network's nodes each on its own: a transaction is offered to all of them. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  /** Those that are asked before a payment ends; all endpoints unless told. */
  readonly voters?: () => Promise<readonly JsonRpc[]>;
  /** How long the first voter waits for the others. */
  readonly patienceMs?: number;
  readonly signer: TransactionSigner;
  /** The most that the processor lets one transfer burn, over the tokens it takes; 200,000 unless told. */
  readonly callGas?: bigint;
  readonly tipBounds?: TipBounds;
  /** The most that a unit of gas may cost; 500 gwei unless told. */
  readonly maxFeeWei?: bigint;
};

const PATIENCE_MS = 2_000;

export function createLaneChain(options: LaneChainOptions): LaneChain {
  const { network, rpc, endpoints, signer, callGas = DEFAULT_CALL_GAS, tipBounds = DEFAULT_TIP_BOUNDS } = options;
  const { voters = async () => endpoints, patienceMs = PATIENCE_MS, maxFeeWei = DEFAULT_MAX_FEE_WEI } = options;
  const bounds = { ...tipBounds, maxFeeWei };
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw new RangeError(`${network} is not an EVM network`);
  const askRelayer = async (method: string): Promise<bigint> => {
    const [answer] = await askChain(rpc, [{ method, params: [signer.address, 'latest'] }]);
    return quantityOf(resultOf(answer));
  };
  return {
    fit: (queue) => fitBatch(queue, callGas),
    rehearse: (items) => rehearseSurely({ rpc, relayer: signer.address, callGas }, items, voters, patienceMs),
    sign: async (items, nonce) => {
      const fees = await readFees(rpc, bounds);
      return signTransaction(signer, { chainId, nonce, call: laneCall(items, callGas), fees });
    },
    raise: async (stuck, place) => {
      // To the byte the call that was sent before; nothing is built anew.
      const { nonce, call, fees: before } = readOffer(stuck);
      const fresh = await readFees(rpc, bounds);
      if (place === 'behind' && stillGood(before, fresh)) return undefined;
      const fees = outbid(fresh, before, bounds);
      return fees && signTransaction(signer, { chainId, nonce, call, fees });
    },
    affords: async (transactions) => (await askRelayer('eth_getBalance')) >= worstCost(transactions),
    broadcast: (raw) => broadcast(endpoints, raw),
    findMined: (batches) => findMined(rpc, batches),
    findReplaced: async (batches) => findReplaced(await voters(), signer.address, batches, patienceMs),
    minedNonce: () => askRelayer('eth_getTransactionCount'),
    nonceRange: async () => readNonceRange(await voters(), signer.address, patienceMs),
  };
}

function worstCost(transactions: readonly SignedTransaction[]): bigint {
  return transactions.reduce((sum, transaction) => sum + costOf(transaction), 0n);
}

/** Of bytes that were read before: they are asked about again with every transaction that follows them. */
const costs = new WeakMap<Uint8Array, bigint>();

function costOf(transaction: SignedTransaction): bigint {
  const known = costs.get(transaction.raw);
  if (known !== undefined) return known;
  const { call, fees } = readOffer(transaction);
  const cost = call.gas * fees.maxFeePerGas;
  costs.set(transaction.raw, cost);
  return cost;
}
