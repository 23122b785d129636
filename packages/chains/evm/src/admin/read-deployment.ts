// Reads from the chain what the configuration claims about processor and tokens: the processor's version, the tokens'
// signing domains, and per token the gas of a transfer and the hourly cap.
import { ChainUnavailable, type TokenEntry } from '@svc-pay/core';
import { domainSeparator } from '@svc-pay/protocol/hash';
import {
  type Address,
  bytesToHex,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
} from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { askChain } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { isRevert } from '../rpc/read-revert.ts';

export type DeploymentQuestion = {
  readonly chainId: number;
  readonly processor: string;
  readonly tokens: readonly Pick<TokenEntry, 'shortcode' | 'address' | 'domain'>[];
};

export type DeployedToken = {
  readonly shortcode: string;
  readonly address: string;
  /** The most gas that the processor gives one transfer of this token. */
  readonly callGas: bigint;
  /** The most of this token that one relayer may move within an hour. */
  readonly hourlyCapAtomic: bigint;
  /** The token verifies signatures for another domain than the catalogue's, or returns no domain. */
  readonly domainDiffers: boolean;
};

export type Deployment = {
  /** Null when no contract at the address returns a version. */
  readonly processorVersion: string | null;
  /** The tokens that the processor accepts. */
  readonly tokens: readonly DeployedToken[];
};

const abi = paymentProcessorAbi;
/** `DOMAIN_SEPARATOR()`. */
const DOMAIN_CALL = '0x3644e515';

/** Throws `ChainUnavailable` unless every question was answered. */
export async function readDeployment(rpc: JsonRpc, question: DeploymentQuestion): Promise<Deployment> {
  const { chainId, processor, tokens } = question;
  const ask = (to: string, data: Hex): RpcCall => ({ method: 'eth_call', params: [{ to, data }, 'latest'] });
  const [told, ...answers] = await askChain(rpc, [
    ask(processor, encodeFunctionData({ abi, functionName: 'version' })),
    ...tokens.flatMap(({ address }) => [
      ask(processor, encodeFunctionData({ abi, functionName: 'tokenConfig', args: [address as Address] })),
      ask(address, DOMAIN_CALL),
    ]),
  ]);
  const processorVersion = textIn(bytesOf(told));
  if (processorVersion === null) return { processorVersion, tokens: [] };
  return {
    processorVersion,
    tokens: tokens.flatMap(({ shortcode, address, domain }, index): readonly DeployedToken[] => {
      const data = bytesOf(answers[2 * index]);
      if (data === '0x') return [];
      const config = decodeFunctionResult({ abi, functionName: 'tokenConfig', data });
      if (!config.enabled) return [];
      const terms = { callGas: BigInt(config.callGas), hourlyCapAtomic: config.operatorHourlyCap };
      const ours = domain && domainSeparator({ ...domain, chainId, verifyingContract: address as Address });
      const domainDiffers = ours !== undefined && bytesOf(answers[2 * index + 1]).toLowerCase() !== bytesToHex(ours);
      return [{ shortcode, address: address.toLowerCase(), ...terms, domainDiffers }];
    }),
  };
}

/** Return data of the call; empty when the call reverted. */
function bytesOf(answer: RpcAnswer | undefined): Hex {
  if (answer === undefined || (!answer.ok && !isRevert(answer))) throw new ChainUnavailable('a call was not answered');
  return answer.ok && typeof answer.result === 'string' ? (answer.result as Hex) : '0x';
}

function textIn(data: Hex): string | null {
  try {
    return decodeAbiParameters([{ type: 'string' }], data)[0];
  } catch {
    return null;
  }
}
