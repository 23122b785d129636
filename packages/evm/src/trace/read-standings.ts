// How an authorization and its intent stand by the chain, at a final block and at the newest one.
import type { LaneItem } from '@svc-pay/core';
import { encodeFunctionData, type Hex, numberToHex } from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { askChain, quantityOf, resultOf } from '../lane/ask-chain.ts';
import type { JsonRpc, RpcCall } from '../rpc/json-rpc.ts';
import { askPermitNonce, askUsed } from '../verify/chain-questions.ts';

/** `free`: nothing stands in its way at the newest block. `taken`: used or settled in a final block. Else it may change. */
export type ChainStanding = 'free' | 'taken' | 'undecided';

export async function readStandings(
  rpc: JsonRpc,
  items: readonly LaneItem[],
  finalizedNumber: bigint,
): Promise<readonly ChainStanding[]> {
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
