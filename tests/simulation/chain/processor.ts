// What the processor and its token do with a batch, as far as lanes can see it: each payment moves its money once or says
// why not, and leaves the logs that the real ones leave. tests of contracts/ say that the real ones do.
import { ITEM_OUTCOMES, type ItemOutcome } from '@svc-pay/core';
import { paymentProcessorAbi } from '@svc-pay/evm';
import { decodeFunctionData, encodeFunctionResult, type Hex, toEventSelector, toFunctionSelector } from 'viem';
import {
  type ChainState,
  FEE_BPS,
  FEE_RECIPIENT,
  type Log,
  MERCHANT,
  type Played,
  PROCESSOR,
  SETTLED,
  TOKEN,
  transfer,
  use,
  word,
  words,
} from './chain-state.ts';
import { answerDirect, isDirectCall, playDirect } from './direct-calls.ts';
import { isStrandedCall, playStranded, type StrandedPlay } from './stranded-calls.ts';

type PlayedBatch = Played & { readonly codes: readonly ItemOutcome[] };

const FAILED = toEventSelector('PaymentFailed(uint64,address,uint8,bytes)');
const BATCH_ABI = paymentProcessorAbi.filter((entry) => entry.type === 'function' && entry.name === 'settleBatch');
const BATCH = toFunctionSelector(BATCH_ABI[0] as Parameters<typeof toFunctionSelector>[0]);
const isProcessorCall = (data: Hex) => data.startsWith(BATCH) || isStrandedCall(data);
const FEE_ASKED = toFunctionSelector('feeRecipient()');
const SETTLED_ASKED = toFunctionSelector('isSettled(uint64)');
const BALANCE_ASKED = toFunctionSelector('balanceOf(address)');
const USED_ASKED = toFunctionSelector('authorizationState(address,bytes32)');

type Item = {
  readonly payoutId: bigint;
  readonly payer: string;
  readonly intentCode: bigint;
  readonly capAtomic: bigint;
  readonly settledAtomic: bigint;
  readonly validBeforeSeconds: bigint;
  readonly nonce: string;
};

const decoded = new Map<string, readonly Item[]>();

/** In the order in which the call carries them; none for a call that carries no batch. */
export function itemsOf(data: Hex): readonly Item[] {
  if (!data.startsWith(BATCH)) return [];
  const known = decoded.get(data);
  if (known !== undefined) return known;
  if (decoded.size > 500) decoded.clear();
  const { args } = decodeFunctionData({ abi: BATCH_ABI, data });
  const [, groups] = args as unknown as [string, readonly { payoutId: bigint; items: readonly RawItem[] }[]];
  const items = groups.flatMap(({ payoutId, items }) => items.map((raw) => itemOf(payoutId, raw)));
  decoded.set(data, items);
  return items;
}

type RawItem = { readonly head: bigint; readonly amounts: bigint; readonly window: bigint; readonly nonce: Hex };

function itemOf(payoutId: bigint, { head, amounts, window, nonce }: RawItem): Item {
  const low = (value: bigint, bits: bigint) => value & ((1n << bits) - 1n);
  return {
    payoutId,
    payer: `0x${(head >> 96n).toString(16).padStart(40, '0')}`,
    intentCode: low(head >> 32n, 64n),
    capAtomic: amounts >> 128n,
    settledAtomic: low(amounts, 128n),
    validBeforeSeconds: low(window, 64n),
    nonce,
  };
}

/** What the call does; the name of the error when it reverts. */
export function playCall(state: ChainState, data: Hex, timeSeconds: bigint): StrandedPlay {
  if (isDirectCall(data)) return playDirect(state, data, timeSeconds) ?? { refused: '0x' };
  return data.startsWith(BATCH) ? playBatch(state, data, timeSeconds) : playStranded(state, data);
}

function playBatch(state: ChainState, data: Hex, timeSeconds: bigint): PlayedBatch {
  const balances = new Map(state.balances);
  const used = new Set(state.used);
  const settledCodes = new Set(state.settledCodes);
  const logs: Log[] = [];
  const codes: ItemOutcome[] = [];
  const settled: (Item & { feeAtomic: bigint })[] = [];
  for (const item of itemsOf(data)) {
    const held = balances.get(item.payer) ?? 0n;
    const outcome = judge(item, held, used, settledCodes, timeSeconds);
    codes.push(outcome);
    if (outcome !== 'settled') {
      const code = BigInt(ITEM_OUTCOMES.indexOf(outcome));
      const topics = [FAILED, word(item.intentCode), word(item.payer)];
      logs.push({ address: PROCESSOR, topics, data: words(code, 64n, 0n) });
      continue;
    }
    const feeAtomic = (item.settledAtomic * BigInt(FEE_BPS)) / 10_000n;
    balances.set(item.payer, held - item.settledAtomic);
    used.add(`${item.payer} ${item.nonce}`);
    settledCodes.add(item.intentCode);
    settled.push({ ...item, feeAtomic });
    logs.push(use(item.payer, item.nonce), transfer(item.payer, PROCESSOR, item.capAtomic), {
      address: PROCESSOR,
      topics: [SETTLED, word(item.intentCode), word(item.payer), word(TOKEN)],
      data: words(item.payoutId, item.capAtomic, item.settledAtomic, feeAtomic),
    });
  }
  for (const { payer, capAtomic, settledAtomic } of settled) {
    if (capAtomic > settledAtomic) logs.push(transfer(PROCESSOR, payer, capAtomic - settledAtomic));
  }
  const fees = settled.reduce((sum, { feeAtomic }) => sum + feeAtomic, 0n);
  const whole = settled.reduce((sum, { settledAtomic }) => sum + settledAtomic, 0n);
  balances.set(MERCHANT, (balances.get(MERCHANT) ?? 0n) + whole - fees);
  if (whole > 0n) logs.push(transfer(PROCESSOR, MERCHANT, whole - fees), transfer(PROCESSOR, FEE_RECIPIENT, fees));
  return { state: { ...state, balances, used, settledCodes }, logs, codes, settled };
}

function judge(
  { capAtomic, intentCode, payer, nonce, validBeforeSeconds }: Item,
  held: bigint,
  used: ReadonlySet<string>,
  settledCodes: ReadonlySet<bigint>,
  timeSeconds: bigint,
): ItemOutcome {
  if (settledCodes.has(intentCode)) return 'intent_already_settled';
  if (timeSeconds >= validBeforeSeconds) return 'expired';
  if (used.has(`${payer} ${nonce}`)) return 'authorization_used';
  return held < capAtomic ? 'insufficient_funds' : 'settled';
}

/** `EnforcedPause()`. */
const PAUSED = '0xd93c0665';

const flag = (value: boolean): Hex => word(value ? 1n : 0n);

/** `eth_call`: the result, or what it reverts with; undefined for what lanes never ask. */
export function answerCall(
  state: ChainState,
  data: Hex,
  timeSeconds: bigint,
): Hex | { readonly reverted: Hex } | undefined {
  const selector = data.slice(0, 10);
  const argument = (place: number) => data.slice(10 + 64 * place, 74 + 64 * place);
  if (selector === FEE_ASKED) return word(FEE_RECIPIENT);
  if (selector === SETTLED_ASKED) return flag(state.settledCodes.has(BigInt(`0x${argument(0)}`)));
  if (selector === USED_ASKED) return flag(state.used.has(`0x${argument(0).slice(24)} 0x${argument(1)}`));
  if (selector === BALANCE_ASKED) return word(state.balances.get(`0x${argument(0).slice(24)}`) ?? 0n);
  if (isDirectCall(data)) return answerDirect(state, data, timeSeconds);
  if (!isProcessorCall(data)) return undefined;
  if (state.paused) return { reverted: PAUSED };
  if (selector !== BATCH) {
    const played = playStranded(state, data);
    return 'refused' in played ? { reverted: played.refused } : '0x';
  }
  const codes = playBatch(state, data, timeSeconds).codes.map((code) => ITEM_OUTCOMES.indexOf(code));
  const result: Hex = `0x${codes.map((code) => code.toString(16).padStart(2, '0')).join('')}`;
  return encodeFunctionResult({ abi: paymentProcessorAbi, functionName: 'settleBatch', result });
}
