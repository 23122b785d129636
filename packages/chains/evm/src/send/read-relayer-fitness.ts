// Reads from the chain whether relayers can send, idle ones included: balance, role, and what is left under their
// hourly caps.
import type { RelayerFitness } from '@svc-pay/core';
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { ROLES } from '../admin/roles.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { MAX_BATCH_GAS } from '../processor/fit-batch.ts';
import { askChain, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { type FeeBounds, readFees } from './transaction-fees.ts';

export type FitnessQuestion = {
  readonly processor: string;
  readonly relayers: readonly string[];
  readonly tokens: readonly string[];
  /** A balance for fewer full transactions than this is `low`. */
  readonly lowTransactions: bigint;
  readonly bounds: FeeBounds;
};

export type Fitness = {
  readonly paused: boolean;
  readonly relayers: readonly RelayerFitness[];
};

const abi = paymentProcessorAbi;
/** Gas of the most expensive single payment. */
const SINGLE_GAS = 2_000_000n;
/** Less than a twentieth of the cap left counts as none: payments differ in size. */
const CAPPED_PART = 20n;

export async function readFitness(rpc: JsonRpc, question: FitnessQuestion): Promise<Fitness> {
  const { processor, relayers, tokens, bounds } = question;
  const ask = (data: Hex): RpcCall => ({ method: 'eth_call', params: [{ to: processor, data }, 'latest'] });
  const calls = [
    ask(encodeFunctionData({ abi, functionName: 'paused' })),
    ...tokens.map((token) => ask(encodeFunctionData({ abi, functionName: 'tokenConfig', args: [token as Address] }))),
    ...relayers.flatMap((relayer): RpcCall[] => [
      { method: 'eth_getBalance', params: [relayer, 'latest'] },
      ask(encodeFunctionData({ abi, functionName: 'hasRole', args: [ROLES.relayer, relayer as Address] })),
      ...tokens.map((token) => {
        const args = [relayer as Address, token as Address] as const;
        return ask(encodeFunctionData({ abi, functionName: 'spentRecently', args }));
      }),
    ]),
  ];
  const [answers, { maxFeePerGas }] = await Promise.all([askChain(rpc, calls), readFees(rpc, bounds)]);
  const [paused, ...others] = answers;
  const caps = others.slice(0, tokens.length).map(capOf);
  const width = 2 + tokens.length;
  return {
    paused: quantityOf(resultOf(paused)) === 1n,
    relayers: relayers.map((relayer, index) => {
      const start = tokens.length + index * width;
      const [balance, role, ...spent] = others.slice(start, start + width);
      const balanceWei = quantityOf(resultOf(balance));
      const lowWei = question.lowTransactions * MAX_BATCH_GAS * maxFeePerGas;
      const coins = balanceWei < SINGLE_GAS * maxFeePerGas ? 'empty' : balanceWei < lowWei ? 'low' : 'fine';
      return {
        relayer,
        balanceWei,
        // Without the role it carries direct payments, for which it needs coins as well.
        condition: coins === 'empty' || quantityOf(resultOf(role)) === 1n ? coins : 'not_allowed',
        capped: spent.some((answer, place) => isCapped(quantityOf(resultOf(answer)), caps[place])),
      };
    }),
  };
}

/** Undefined for a token that the processor does not accept. */
function capOf(answer: RpcAnswer): bigint | undefined {
  const { enabled, operatorHourlyCap } = decodeFunctionResult({
    abi,
    functionName: 'tokenConfig',
    data: resultOf(answer) as Hex,
  });
  return enabled ? operatorHourlyCap : undefined;
}

function isCapped(spent: bigint, cap: bigint | undefined): boolean {
  return cap !== undefined && CAPPED_PART * (cap - (spent < cap ? spent : cap)) < cap;
}
