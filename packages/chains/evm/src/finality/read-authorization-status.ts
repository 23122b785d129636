// Reads the status of an authorization and its intent at a final block and at the latest block.
import { ChainUnavailable, type LaneItem } from '@svc-pay/core';
import { encodeFunctionData, type Hex, numberToHex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { askChain, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcCall } from '../rpc/json-rpc.ts';
import { askPermitNonce, askUsed } from '../verify/chain-questions.ts';

/**
 * `free`: unused and unsettled at the latest block. `taken`: used or settled in a final block. `undecided`: neither.
 */
export type AuthorizationStatus = 'free' | 'taken' | 'undecided';

export async function readAuthorizationStatuses(
  rpc: JsonRpc,
  items: readonly LaneItem[],
  finalizedNumber: bigint,
): Promise<readonly AuthorizationStatus[]> {
  const blocks = [numberToHex(finalizedNumber), 'latest'];
  const answers = await askChain(
    rpc,
    items.flatMap((item) => blocks.flatMap((block) => questions(item, block))),
  );
  return items.map((item, index) => {
    const [usedThen, settledThen, usedNow, settledNow] = [0, 1, 2, 3].map((place) =>
      quantityOf(resultOf(answers[index * 4 + place])),
    );
    if (isUsed(item, usedThen) || settledThen === 1n) return 'taken';
    return isUsed(item, usedNow) || settledNow === 1n ? 'undecided' : 'free';
  });
}

function questions(item: LaneItem, block: string): readonly RpcCall[] {
  const payer = item.payer as Hex;
  const use =
    item.kind === 'permit' ? askPermitNonce(item.asset, payer) : askUsed(item.asset, payer, item.nonce as Hex);
  const data = encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'isSettled', args: [item.intentCode] });
  return [
    { method: use.method, params: [use.params[0], block] },
    { method: 'eth_call', params: [{ to: item.processor, data }, block] },
  ];
}

function isUsed({ kind, nonce }: LaneItem, answer: bigint | undefined): boolean {
  return kind === 'permit' ? (answer ?? 0n) > BigInt(nonce) : answer === 1n;
}

/** An EIP-3009 authorization; addresses and nonce as 0x-hex. */
export type WatchedAuthorization = { readonly asset: string; readonly payer: string; readonly nonce: string };

/**
 * Whether each authorization is used (or canceled) as of that block, in the order given. Throws `ChainUnavailable`
 * unless every call was answered.
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
