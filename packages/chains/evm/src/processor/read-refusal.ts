// Decodes the processor's error from a reverted call.
import type { WholeRefusal } from '@svc-pay/core';
import { decodeErrorResult } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { RpcAnswer } from '../rpc/json-rpc.ts';
import { revertData } from '../rpc/read-revert.ts';

const errors = paymentProcessorAbi.filter((entry) => entry.type === 'error');
const MAX_TEXT = 200;

export type ProcessorRefusal = {
  /** The error's name; undefined when the node did not return it or it is not one of the processor's errors. */
  readonly name: string | undefined;
  readonly args: readonly unknown[];
  /** Description for people. */
  readonly text: string;
};

export function readRefusal(answer: Extract<RpcAnswer, { ok: false }>): ProcessorRefusal {
  const data = revertData(answer);
  if (data === undefined) return { name: undefined, args: [], text: answer.message.slice(0, MAX_TEXT) };
  try {
    const { errorName, args }: { errorName: string; args?: readonly unknown[] } = decodeErrorResult({
      abi: errors,
      data,
    });
    const values = args ?? [];
    const text = `${errorName}(${values.map(String).join(', ')})`;
    return { name: errorName, args: values, text: text.slice(0, MAX_TEXT) };
  } catch {
    return { name: undefined, args: [], text: `an unknown error, ${data.slice(0, 10)}` };
  }
}

const CAUSES: Readonly<Record<string, WholeRefusal>> = {
  EnforcedPause: 'paused',
  AccessControlUnauthorizedAccount: 'not_allowed',
  HourlyCapExceeded: 'over_cap',
  NotEnoughGas: 'not_enough_gas',
};

export function wholeRefusal({ name, text }: ProcessorRefusal): {
  readonly ok: false;
  readonly cause: WholeRefusal;
  readonly reason: string;
} {
  return { ok: false, cause: CAUSES[name ?? ''] ?? 'refused', reason: text };
}
