import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { AMOUNT, INTENT_CODE, PROCESSOR, processorOption } from '../testing/regular-actors.ts';
import { processorCalls, transferToSign } from './check-calls.ts';
import { callOf, SELECTORS } from './words.ts';

const ABI = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function pay(address token, uint64 intentCode, uint64 payoutId, uint256 amount)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const option = processorOption();
const OTHER = `0x${'99'.repeat(20)}` as const;
const refused = (reason: string) => expect.objectContaining({ code: 'acceptance_refused', reason });

describe('the calls of a processor’s payout', () => {
  test('are what an ABI encoder makes of the option’s own fields', () => {
    const token = option.token as `0x${string}`;
    const { approve, pay } = processorCalls(option, INTENT_CODE);
    const amount = BigInt(AMOUNT);
    expect(approve).toEqual({
      to: token,
      data: encodeFunctionData({ abi: ABI, functionName: 'approve', args: [PROCESSOR as `0x${string}`, amount] }),
    });
    expect(pay).toEqual({
      to: PROCESSOR,
      data: encodeFunctionData({ abi: ABI, functionName: 'pay', args: [token, BigInt(INTENT_CODE), 7n, amount] }),
    });
  });

  const payOf = (token: string, code: number, payout: string | number, amount: string) => ({
    pay: { to: PROCESSOR, data: callOf(SELECTORS.pay, token, code, payout, amount) },
  });
  const approveOf = (more: object) => ({ approve: { ...option.approve, ...more } });
  test.each<[string, object, string]>([
    ['another spender', approveOf({ data: callOf(SELECTORS.approve, OTHER, AMOUNT) }), 'approve'],
    ['more than the amount', approveOf({ data: callOf(SELECTORS.approve, PROCESSOR, 2n ** 256n - 1n) }), 'approve'],
    ['another amount in words', approveOf({ amount: '1' }), 'approve'],
    ['another contract to approve', approveOf({ to: OTHER }), 'approve'],
    ['another function to approve', approveOf({ data: callOf('0xa9059cbb', PROCESSOR, AMOUNT) }), 'approve'],
    ['something after the approval', approveOf({ data: `${option.approve.data}00` }), 'approve'],
    ['another contract to pay', { pay: { ...option.pay, to: OTHER } }, 'pay'],
    ['another function to pay', { pay: { to: PROCESSOR, data: callOf('0xa9059cbb', option.token, AMOUNT) } }, 'pay'],
    ['another token', payOf(OTHER, INTENT_CODE, 7, AMOUNT), 'pay'],
    ['another intent', payOf(option.token, INTENT_CODE + 1, 7, AMOUNT), 'pay'],
    ['another amount', payOf(option.token, INTENT_CODE, 7, '12500001'), 'pay'],
    ['a payout that is no number', payOf(option.token, INTENT_CODE, OTHER, AMOUNT), 'pay'],
    ['something after the payment', { pay: { ...option.pay, data: `${option.pay.data}00` } }, 'pay'],
    ['nothing to pay', { pay: { ...option.pay, data: '0x' } }, 'pay'],
  ])('%s is refused', (_, more, reason) => {
    expect(() => processorCalls(processorOption(more), INTENT_CODE)).toThrow(refused(reason));
  });

  test('an intent without a code on chain is refused', () => {
    expect(() => processorCalls(option, undefined)).toThrow(refused('intent'));
  });
});

describe('a transfer to the merchant’s own wallet', () => {
  const WALLET = `0x${'55'.repeat(20)}`;
  const PAYER = `0x${'22'.repeat(20)}`;
  const terms = {
    installation: '0190f5fe-7c00-7a00-8000-000000000001',
    mode: 'test' as const,
    chainId: 8453,
    token: option.token,
    wallet: WALLET,
    amount: AMOUNT,
    intentCode: INTENT_CODE,
    attempt: 0,
  };
  const { approve: _, pay: __, link: ___, ...fields } = option;
  const transfer = (more: object = {}, message: object = {}, domain: object = {}) => ({
    ...fields,
    kind: 'evm_authorization' as const,
    payTo: WALLET,
    terms,
    typedData: {
      primaryType: 'TransferWithAuthorization' as const,
      types: {},
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: option.token, ...domain },
      message: {
        to: WALLET,
        value: AMOUNT,
        validAfter: '0',
        validBefore: '2000000000',
        nonce: directNonce(terms),
        ...message,
      },
    },
    ...more,
  });
  const by = { payer: PAYER, nowSeconds: 1_700_000_000, windowSeconds: 3_600 };

  test('is signed with the nonce of its terms and for no longer than the page allows', () => {
    const { data } = transferToSign(transfer(), INTENT_CODE, by);
    expect(data).toMatchObject({
      primaryType: 'TransferWithAuthorization',
      domain: { chainId: 8453, verifyingContract: option.token },
      message: { from: PAYER, to: WALLET, value: AMOUNT, validBefore: '1700003600', nonce: directNonce(terms) },
    });
  });

  test.each([
    ['a key’s signature, 27 or 28', `0x${'11'.repeat(32)}${'22'.repeat(32)}1c`, 28],
    ['a key’s signature, 0 or 1', `0x${'11'.repeat(32)}${'22'.repeat(32)}01`, 28],
    ['a contract’s signature', `0x${'33'.repeat(100)}`, undefined],
  ])('is sent as an ABI decoder reads it: %s', (_name, signature, v) => {
    const { to, data } = transferToSign(transfer(), INTENT_CODE, by).call(signature);
    const { args } = decodeFunctionData({ abi: ABI, data: data as `0x${string}` });
    expect(to).toBe(option.token);
    expect(args[0].toLowerCase()).toBe(PAYER);
    expect(args.slice(2, 6)).toEqual([BigInt(AMOUNT), 0n, 1_700_003_600n, directNonce(terms)]);
    expect(args.slice(6)).toEqual(v === undefined ? [signature] : [v, `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]);
  });

  test.each<[string, ReturnType<typeof transfer>]>([
    ['another recipient', transfer({}, { to: OTHER })],
    ['another amount', transfer({}, { value: '1' })],
    ['another nonce', transfer({}, { nonce: `0x${'00'.repeat(32)}` })],
    ['another token', transfer({}, {}, { verifyingContract: OTHER })],
    ['another chain', transfer({}, {}, { chainId: 1 })],
    ['terms of another wallet', transfer({ terms: { ...terms, wallet: OTHER } })],
    ['terms of another intent', transfer({ terms: { ...terms, intentCode: 1 } })],
    ['no terms', transfer({ terms: {} })],
  ])('%s is refused', (_name, given) => {
    expect(() => transferToSign(given, INTENT_CODE, by)).toThrow(refused('terms'));
  });
});
