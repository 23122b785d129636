// What the token and the contract of direct batches do with direct payments, as contracts/evm/src/DirectBatch.sol does: each
// moves its money to its wallet once or says why not, and a refused item undoes no other.
import { ITEM_OUTCOMES, type ItemOutcome } from '@svc-pay/core';
import { DIRECT_BATCH_ADDRESS, directBatchAbi, readSingleTransfer, unpackDirectBatch } from '@svc-pay/evm';
import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import { type ChainState, type Log, type Played, type SettleResult, transfer, use, words } from './chain-state.ts';

const BATCH = toFunctionSelector('settle(address,uint32,bytes)');
const SINGLE_ABI = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);
const SINGLE = toFunctionSelector(SINGLE_ABI[0]);
const REFUSED = toEventSelector('ItemRefused(uint256,uint8)');
/** `Error(string)`, without its text. */
const REVERTED: Hex = '0x08c379a0';

export type DirectItem = {
  readonly payer: string;
  readonly wallet: string;
  readonly valueAtomic: bigint;
  readonly validBeforeSeconds: bigint;
  readonly nonce: string;
  /** Absent for a refund. */
  readonly intentCode?: bigint;
};

const decoded = new Map<string, readonly DirectItem[]>();

export const isDirectCall = (data: Hex): boolean => data.startsWith(BATCH) || data.startsWith(SINGLE);

/** In the order in which the call carries them. */
export function directItemsOf(data: Hex): readonly DirectItem[] {
  const known = decoded.get(data);
  if (known !== undefined) return known;
  if (decoded.size > 500) decoded.clear();
  const items = decode(data);
  decoded.set(data, items);
  return items;
}

function decode(data: Hex): readonly DirectItem[] {
  const single = data.startsWith(SINGLE) ? readSingleTransfer(data) : undefined;
  if (single !== undefined) return [{ ...single, valueAtomic: single.capAtomic }];
  if (data.startsWith(SINGLE)) return [refundOf(data)];
  return (
    unpackDirectBatch(data)?.groups.flatMap(({ wallet, items }) => items.map((item) => ({ ...item, wallet }))) ?? []
  );
}

/** A refund: nothing stands behind the arguments. */
function refundOf(data: Hex): DirectItem {
  const { args } = decodeFunctionData({ abi: SINGLE_ABI, data });
  const [payer, wallet, valueAtomic, , validBeforeSeconds, nonce] = args;
  return { payer: payer.toLowerCase(), wallet: wallet.toLowerCase(), valueAtomic, validBeforeSeconds, nonce };
}

/** Undefined when the call reverts: a single transfer that the token refuses. */
export function playDirect(state: ChainState, data: Hex, timeSeconds: bigint): Played | undefined {
  const { codes, ...played } = playItems(state, directItemsOf(data), timeSeconds);
  return data.startsWith(SINGLE) && codes[0] !== 'settled' ? undefined : played;
}

/** `eth_call`. */
export function answerDirect(state: ChainState, data: Hex, timeSeconds: bigint): Hex | { readonly reverted: Hex } {
  const { codes } = playItems(state, directItemsOf(data), timeSeconds);
  if (data.startsWith(SINGLE)) return codes[0] === 'settled' ? '0x' : { reverted: REVERTED };
  const result: Hex = `0x${codes.map((code) => ITEM_OUTCOMES.indexOf(code).toString(16).padStart(2, '0')).join('')}`;
  return encodeFunctionResult({ abi: directBatchAbi, functionName: 'settle', result });
}

function playItems(
  state: ChainState,
  items: readonly DirectItem[],
  timeSeconds: bigint,
): Played & { readonly codes: readonly ItemOutcome[] } {
  let after = state;
  const logs: Log[] = [];
  const settled: SettleResult[] = [];
  const codes = items.map((item, index): ItemOutcome => {
    const outcome = judge(after, item, timeSeconds);
    if (outcome !== 'settled') {
      const data = words(BigInt(index), BigInt(ITEM_OUTCOMES.indexOf(outcome)));
      logs.push({ address: DIRECT_BATCH_ADDRESS.toLowerCase(), topics: [REFUSED], data });
      return outcome;
    }
    after = moved(after, item);
    logs.push(use(item.payer, item.nonce), transfer(item.payer, item.wallet, item.valueAtomic));
    const { intentCode, payer, valueAtomic } = item;
    if (intentCode !== undefined) settled.push({ intentCode, payer, settledAtomic: valueAtomic });
    return outcome;
  });
  return { state: after, logs, settled, codes };
}

function judge(
  { used, balances }: ChainState,
  { payer, nonce, valueAtomic, validBeforeSeconds }: DirectItem,
  timeSeconds: bigint,
): ItemOutcome {
  if (used.has(`${payer} ${nonce}`)) return 'authorization_used';
  if (timeSeconds >= validBeforeSeconds) return 'expired';
  return (balances.get(payer) ?? 0n) < valueAtomic ? 'insufficient_funds' : 'settled';
}

function moved(state: ChainState, { payer, wallet, valueAtomic, nonce }: DirectItem): ChainState {
  const balances = new Map(state.balances)
    .set(payer, (state.balances.get(payer) ?? 0n) - valueAtomic)
    .set(wallet, (state.balances.get(wallet) ?? 0n) + valueAtomic);
  return { ...state, balances, used: new Set(state.used).add(`${payer} ${nonce}`) };
}
