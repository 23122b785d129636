// What the processor does with stranded transfers, as contracts/evm/src/parts/Recovery.sol does: each is settled or returned
// once, from money that lies with the processor. And what a token does with an authorization that a stranger submits.
import { paymentProcessorAbi } from '@svc-pay/evm';
import {
  type Abi,
  decodeFunctionData,
  encodeErrorResult,
  type Hex,
  keccak256,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
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

const SELECTORS = new Set<string>(
  paymentProcessorAbi
    .filter((entry) => entry.type === 'function' && /^(?:settle|return)Stranded$/.test(entry.name))
    .map((entry) => toFunctionSelector(entry as Parameters<typeof toFunctionSelector>[0])),
);
const STRANDED_SETTLED = toEventSelector('StrandedSettled(uint64,address,address,bytes32)');
const STRANDED_RETURNED = toEventSelector('StrandedReturned(address,address,bytes32,uint256)');

const ABI: Abi = paymentProcessorAbi;

export const isStrandedCall = (data: Hex): boolean => SELECTORS.has(data.slice(0, 10));

/** `refused` is the error that the call reverts with. */
export type StrandedPlay = Played | { readonly refused: Hex };

type Authorization = { readonly from: string; readonly value: bigint; readonly nonce: Hex };
type StrandedCall = {
  readonly action: 'settle' | 'return';
  readonly authorization: Authorization;
  readonly intentCode: bigint;
  readonly payoutId: bigint;
  readonly settledAtomic: bigint;
};

const decoded = new Map<string, StrandedCall>();

function strandedCallOf(data: Hex): StrandedCall {
  const known = decoded.get(data);
  if (known !== undefined) return known;
  if (decoded.size > 500) decoded.clear();
  const { functionName, args } = decodeFunctionData({ abi: paymentProcessorAbi, data });
  const given = args as readonly unknown[];
  const call: StrandedCall =
    functionName === 'returnStranded'
      ? { action: 'return', authorization: lower(given[1]), intentCode: 0n, payoutId: 0n, settledAtomic: 0n }
      : {
          action: 'settle',
          authorization: lower(given[3]),
          intentCode: given[1] as bigint,
          payoutId: given[2] as bigint,
          settledAtomic: given[4] as bigint,
        };
  decoded.set(data, call);
  return call;
}

function lower(authorization: unknown): Authorization {
  const { from, value, nonce } = authorization as Authorization;
  return { from: from.toLowerCase(), value, nonce };
}

const balanceOf = ({ balances }: ChainState, account: string) => balances.get(account) ?? 0n;

export function playStranded(state: ChainState, data: Hex): StrandedPlay {
  const { action, authorization, intentCode, payoutId, settledAtomic } = strandedCallOf(data);
  const { from: payer, value: capAtomic, nonce } = authorization;
  const key = `${payer} ${nonce}`;
  const refuse = (errorName: string, args: readonly unknown[]) => ({
    refused: encodeErrorResult({ abi: ABI, errorName, args }),
  });
  if (action === 'settle' && state.settledCodes.has(intentCode)) return refuse('IntentAlreadySettled', [intentCode]);
  if (state.recovered.has(key)) return refuse('AlreadyRecovered', [keccak256(nonce)]);
  const surplus = balanceOf(state, PROCESSOR);
  if (surplus < capAtomic) return refuse('SurplusTooSmall', [surplus, capAtomic]);
  if (!state.used.has(key)) return refuse('AuthorizationNotUsed', [payer, nonce]);
  const backAtomic = action === 'return' ? capAtomic : capAtomic - settledAtomic;
  const balances = new Map(state.balances)
    .set(PROCESSOR, surplus - capAtomic)
    .set(payer, balanceOf(state, payer) + backAtomic);
  const next = { ...state, balances, recovered: new Set(state.recovered).add(key) };
  const back = backAtomic > 0n ? [transfer(PROCESSOR, payer, backAtomic)] : [];
  if (action === 'return') {
    const topics = [STRANDED_RETURNED, word(payer), word(TOKEN), nonce];
    const logs = [{ address: PROCESSOR, topics, data: word(capAtomic) }, ...back];
    return { state: next, logs, settled: [], resolved: { key, action } };
  }
  const feeAtomic = (settledAtomic * BigInt(FEE_BPS)) / 10_000n;
  const parties = [word(intentCode), word(payer), word(TOKEN)];
  const logs: Log[] = [
    { address: PROCESSOR, topics: [STRANDED_SETTLED, ...parties], data: nonce },
    {
      address: PROCESSOR,
      topics: [SETTLED, ...parties],
      data: words(payoutId, capAtomic, settledAtomic, feeAtomic),
    },
    transfer(PROCESSOR, MERCHANT, settledAtomic - feeAtomic),
    transfer(PROCESSOR, FEE_RECIPIENT, feeAtomic),
    ...back,
  ];
  balances.set(MERCHANT, (balances.get(MERCHANT) ?? 0n) + settledAtomic - feeAtomic);
  const settledCodes = new Set(state.settledCodes).add(intentCode);
  return {
    state: { ...next, settledCodes },
    logs,
    settled: [{ intentCode, payer, settledAtomic }],
    resolved: { key, action },
  };
}

/** An authorization as anybody who has seen it can submit it to the token. */
export type Submission = {
  readonly payer: string;
  readonly nonce: string;
  readonly capAtomic: bigint;
  readonly validBeforeSeconds: bigint;
  /** Recipient: the processor, or the wallet of a direct payment. */
  readonly to: string;
  /** Intent of a direct payment: its money arrives, whoever submits it. */
  readonly intentCode?: bigint;
  /** Before it submits, the stranger gives the payer the money that is missing. */
  readonly gift: boolean;
};

/** Undefined when the token refuses it. */
export function playSubmission(state: ChainState, submission: Submission, timeSeconds: bigint): Played | undefined {
  const { payer, nonce, capAtomic, validBeforeSeconds, to, intentCode, gift } = submission;
  const key = `${payer} ${nonce}`;
  const held = balanceOf(state, payer);
  const missing = capAtomic > held ? capAtomic - held : 0n;
  if (state.used.has(key) || timeSeconds >= validBeforeSeconds || (missing > 0n && !gift)) return undefined;
  const balances = new Map(state.balances)
    .set(payer, held + missing - capAtomic)
    .set(to, balanceOf(state, to) + capAtomic);
  const given = missing > 0n ? [transfer(STRANGER, payer, missing)] : [];
  return {
    state: { ...state, balances, used: new Set(state.used).add(key) },
    logs: [...given, use(payer, nonce), transfer(payer, to, capAtomic)],
    settled: intentCode === undefined ? [] : [{ intentCode, payer, settledAtomic: capAtomic }],
  };
}

const STRANGER = `0x${'5a'.repeat(20)}`;
