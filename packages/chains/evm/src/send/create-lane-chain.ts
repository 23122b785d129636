// The lane's chain interface for one relayer key on one EVM network, implemented by RPC nodes and a signer.
import type { LaneItem, SequencedChain, SignedTransaction } from '@svc-pay/core';
import { chainIdOf, type NetworkId } from '@svc-pay/protocol';
import type { CheckActivation } from '../payout/check-activation.ts';
import { fitBatch } from '../processor/fit-batch.ts';
import { DEFAULT_CALL_GAS } from '../processor/gas-limit.ts';
import { laneCall } from '../processor/lane-call.ts';
import { findMined } from '../prove/find-mined.ts';
import { askChain, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { TransactionSigner } from '../signer/transaction-signer.ts';
import { broadcast } from './broadcast.ts';
import { simulateActivated } from './check-payouts.ts';
import { findReplaced, readNonceRange } from './relayer-nonces.ts';
import { readOffer, signTransaction } from './sign-transaction.ts';
import { simulateWithQuorum } from './simulate-with-quorum.ts';
import {
  DEFAULT_MAX_FEE_WEI,
  DEFAULT_TIP_BOUNDS,
  outbid,
  readFees,
  readOfferedFees,
  stillGood,
  type TipBounds,
} from './transaction-fees.ts';

export type LaneChainOptions = {
  readonly network: NetworkId;
  readonly rpc: JsonRpc;
  /** Every endpoint of the network by itself: a transaction is sent to all of them. */
  readonly endpoints: readonly [JsonRpc, ...JsonRpc[]];
  /** Endpoints of the quorum before a payment gets its result; all endpoints by default. */
  readonly voters?: () => Promise<readonly JsonRpc[]>;
  /** How long the first vote waits for the others. */
  readonly patienceMs?: number;
  readonly signer: TransactionSigner;
  /** Checks the signatures that activate a direct payout. Without it the lane sends no direct payment. */
  readonly checkActivation?: CheckActivation | undefined;
  /** The most gas that one transfer of a token may use, by the processor's terms; 200,000 by default. */
  readonly callGasOf?: (asset: string) => bigint;
  readonly tipBounds?: TipBounds;
  /** The highest fee per unit of gas; 500 gwei by default. */
  readonly maxFeeWei?: bigint;
  /** Expected seconds from the latest block to the next one; 0 by default. */
  readonly blockSeconds?: bigint;
};

const PATIENCE_MS = 2_000;

export function createLaneChain(options: LaneChainOptions): SequencedChain {
  const {
    network,
    rpc,
    endpoints,
    signer,
    callGasOf = () => DEFAULT_CALL_GAS,
    tipBounds = DEFAULT_TIP_BOUNDS,
  } = options;
  const { voters = async () => endpoints, patienceMs = PATIENCE_MS, maxFeeWei = DEFAULT_MAX_FEE_WEI } = options;
  const { blockSeconds = 0n } = options;
  const bounds = { ...tipBounds, maxFeeWei };
  const chainId = chainIdOf(network);
  if (chainId === undefined) throw new RangeError(`${network} is not an EVM network`);
  const askRelayer = async (method: string): Promise<bigint> => {
    const [answer] = await askChain(rpc, [{ method, params: [signer.address, 'latest'] }]);
    return quantityOf(resultOf(answer));
  };
  // All items of a transaction have the same token as the first.
  const callGasFor = ([head]: readonly LaneItem[]) => (head === undefined ? DEFAULT_CALL_GAS : callGasOf(head.asset));
  return {
    kind: 'sequenced',
    fit: (queue) => fitBatch(queue, callGasFor(queue)),
    simulate: (items) => {
      const stage = { rpc, relayer: signer.address, callGas: callGasFor(items), feeBounds: bounds, blockSeconds };
      const payouts = { network, rpc, voters, checkActivation: options.checkActivation };
      return simulateActivated(payouts, items, (some) => simulateWithQuorum(stage, some, voters, patienceMs));
    },
    sign: async (items, nonce) => {
      const fees = await readFees(rpc, bounds);
      return signTransaction(signer, { chainId, nonce, call: laneCall(items, callGasFor(items)), fees });
    },
    raise: async (stuck, place) => {
      // The call that was sent before, byte for byte; nothing is rebuilt.
      const { nonce, call, fees: before } = readOffer(stuck);
      const { fees: fresh, blockTimeSeconds } = await readOfferedFees(rpc, bounds);
      // While a chain makes no blocks a fee bump achieves nothing, and the next block would charge it.
      if (stuck.signedAtMs !== undefined && blockTimeSeconds * 1_000n <= BigInt(stuck.signedAtMs)) return undefined;
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

/** Caches the cost of signed bytes: `affords` asks about them again with every later transaction. */
const costs = new WeakMap<Uint8Array, bigint>();

function costOf(transaction: SignedTransaction): bigint {
  const known = costs.get(transaction.raw);
  if (known !== undefined) return known;
  const cost = transaction.worstCostAtomic ?? offeredCost(transaction);
  costs.set(transaction.raw, cost);
  return cost;
}

function offeredCost(transaction: SignedTransaction): bigint {
  const { call, fees } = readOffer(transaction);
  return call.gas * fees.maxFeePerGas;
}
