// Reads how much of a token a relayer may still move under the processor's hourly cap.
import type { LaneItem } from '@svc-pay/core';
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { paymentProcessorAbi as abi } from '../generated/payment-processor-abi.ts';
import type { RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { readQuantity } from '../rpc/rpc-call.ts';

/** Goes into the request of the simulation, so that both see the same block. */
export function askCapRoom(relayer: Address, item: Pick<LaneItem, 'processor' | 'asset'>): readonly RpcCall[] {
  const token = item.asset.toLowerCase() as Address;
  const ask = (data: Hex): RpcCall => ({ method: 'eth_call', params: [{ to: item.processor, data }, 'latest'] });
  return [
    ask(encodeFunctionData({ abi, functionName: 'tokenConfig', args: [token] })),
    ask(encodeFunctionData({ abi, functionName: 'spentRecently', args: [relayer, token] })),
  ];
}

/** Undefined unless both answers can be read: then the simulation alone decides. */
export function capRoomOf(config: RpcAnswer | undefined, spent: RpcAnswer | undefined): bigint | undefined {
  if (config?.ok !== true || spent?.ok !== true) return undefined;
  const cap = readCap(config.result);
  const spentAtomic = readQuantity(spent.result);
  if (cap === undefined || spentAtomic === undefined) return undefined;
  return cap > spentAtomic ? cap - spentAtomic : 0n;
}

function readCap(config: unknown): bigint | undefined {
  try {
    return decodeFunctionResult({ abi, functionName: 'tokenConfig', data: config as Hex }).operatorHourlyCap;
  } catch {
    return undefined;
  }
}
