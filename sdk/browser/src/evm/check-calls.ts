// What the payer is about to send, made from the fields of the option and held against the calls that came with it. A call
// that says anything else is never shown to a wallet.
import {
  type EvmAuthorizationOption,
  type EvmProcessorOption,
  type Hex,
  type TypedData,
  typedData,
} from '@svc-pay/protocol';
import { directNonce, readDirectTerms } from '@svc-pay/protocol/direct-nonce';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { callOf, SELECTORS, wordOf } from './words.ts';

export type ContractCall = { readonly to: string; readonly data: string };
export type ProcessorCalls = { readonly approve: ContractCall; readonly pay: ContractCall };

/** Hex digits of the selector and of two words, without `0x`: where the payout's word of `pay` begins. */
const PAYOUT_AT = 2 + 8 + 2 * 64;

/** Throws `acceptance_refused` unless both calls are what the option's own fields say, for this intent. */
export function processorCalls(option: EvmProcessorOption, intentCode: number | undefined): ProcessorCalls {
  const { token, payTo, amount, approve, pay } = option;
  const refuse = (reason: string): never => {
    throw new SvcPayError('acceptance_refused', { reason });
  };
  const approved = callOf(SELECTORS.approve, payTo, amount);
  if (!isSame(approve.to, token) || approve.amount !== amount || !isSame(approve.data, approved)) refuse('approve');
  if (intentCode === undefined) return refuse('intent');
  // The one word that the page can't know: which of the processor's payouts the merchant is.
  const payoutId = pay.data.slice(PAYOUT_AT, PAYOUT_AT + 64);
  if (!/^0{48}[0-9a-fA-F]{16}$/.test(payoutId)) return refuse('pay');
  const paid = callOf(SELECTORS.pay, token, intentCode, `0x${payoutId}`, amount);
  if (!isSame(pay.to, payTo) || !isSame(pay.data, paid)) refuse('pay');
  return { approve: { to: token, data: approved }, pay: { to: payTo, data: paid } };
}

export type Signing = { readonly payer: string; readonly nowSeconds: number; readonly windowSeconds: number };

/**
 * The authorization that the payer signs and sends himself, with the nonce recomputed from its terms. Throws
 * `acceptance_refused` where it differs from the option's own fields.
 */
export function transferToSign(option: EvmAuthorizationOption, intentCode: number | undefined, by: Signing) {
  const { token, payTo, amount, chainId } = option;
  const { domain, message } = option.typedData;
  const terms = readDirectTerms(option.terms);
  const fits =
    terms !== undefined &&
    BigInt(terms.chainId) === BigInt(chainId) &&
    isSame(terms.token, token) &&
    isSame(terms.wallet, payTo) &&
    BigInt(terms.amount) === BigInt(amount) &&
    intentCode !== undefined &&
    BigInt(terms.intentCode) === BigInt(intentCode) &&
    directNonce(terms) === message.nonce.toLowerCase() &&
    domain.chainId === chainId &&
    isSame(domain.verifyingContract, token) &&
    isSame(message.to, payTo) &&
    message.value === amount;
  if (!fits) throw new SvcPayError('acceptance_refused', { reason: 'terms' });
  const validBefore = Math.min(Number(message.validBefore), by.nowSeconds + by.windowSeconds);
  const signed = {
    from: by.payer as Hex,
    to: payTo as Hex,
    value: amount,
    validAfter: message.validAfter,
    validBefore: String(validBefore),
    nonce: message.nonce as Hex,
  };
  const data: TypedData = typedData(
    { ...domain, verifyingContract: token as Hex },
    { primaryType: 'TransferWithAuthorization', message: signed },
  );
  const words = [signed.from, signed.to, amount, signed.validAfter, signed.validBefore, signed.nonce];
  return { data, call: (signature: string): ContractCall => ({ to: token, data: transferCall(words, signature) }) };
}

const KEY_SIGNATURE = /^0x([0-9a-fA-F]{64})([0-9a-fA-F]{64})([0-9a-fA-F]{2})$/;

function transferCall(words: readonly string[], signature: string): string {
  const [, r, s, v] = KEY_SIGNATURE.exec(signature) ?? [];
  if (v !== undefined) {
    const parity = Number.parseInt(v, 16) % 27;
    return callOf(SELECTORS.transferByKey, ...words, 27 + parity, `0x${r}`, `0x${s}`);
  }
  const bytes = signature.slice(2);
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  // Seven heads: six words, and where the bytes begin.
  return callOf(SELECTORS.transferByContract, ...words, 7 * 32) + wordOf(bytes.length / 2) + padded;
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
