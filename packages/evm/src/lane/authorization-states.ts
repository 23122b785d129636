import { ChainUnavailable } from '@svc-pay/core';
import { type Hex, numberToHex } from 'viem';
import type { JsonRpc, RpcCall } from '../rpc/json-rpc.ts';
import { askUsed } from '../verify/chain-questions.ts';
import { askChain, quantityOf, resultOf } from './ask-chain.ts';

/** An EIP-3009 authorization; addresses and nonce as 0x-hex. */
export type WatchedAuthorization = { readonly asset: string; readonly payer: string; readonly nonce: string };

/**
 * Whether each authorization is used (or canceled) as of that block, in their order. Throws `ChainUnavailable` unless
 * every one was answered.
 */
export async function readAuthorizationStates(
  rpc: JsonRpc,
  authorizations: readonly WatchedAuthorization[],
  block: 'latest' | 'finalized' | bigint,
): Promise<readonly boolean[]> {
  const tag = typeof block === 'bigint' ? numberToHex(block) : block;
  const answers = await askChain(
    rpc,
    authorizations.map(({ asset, payer, nonce }): RpcCall => {
      const { method, params } = askUsed(asset, payer as Hex, nonce as Hex);
      return { method, params: [params[0], tag] };
    }),
  );
  return answers.map((answer) => {
    const word = quantityOf(resultOf(answer));
    if (word > 1n) throw new ChainUnavailable('the answer is not the token’s');
    return word === 1n;
  });
}
