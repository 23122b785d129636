import { type RegularWay, TOKENS } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { atomicAmount } from '@svc-pay/money';
import { regularOption as regularOptionSchema } from '@svc-pay/protocol';
import { directNonce, readDirectTerms } from '@svc-pay/protocol/direct-nonce';
import { decodeFunctionData, erc20Abi, getAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { regularOption } from './regular-option.ts';

const processor = getAddress(`0x${'9c'.repeat(20)}`);
const wallet = `0x${'66'.repeat(20)}`;
const ENDS_AT_MS = Date.UTC(2026, 10, 17, 12, 0, 0, 900);
const AMOUNT = 12_500_000n;

type Changes = { shortcode?: string; payTo?: string; direct?: true; attempt?: number };

function way({ shortcode = 'base_usdc', payTo = processor, direct, attempt = 0 }: Changes = {}): RegularWay {
  const token = TOKENS.find((known) => known.shortcode === shortcode)!;
  const activation = sampleActivation({ wallet, asset: token.address.toLowerCase(), mode: 'live' });
  return {
    caller: {} as RegularWay['caller'],
    intent: { id: 'pi_1' as RegularWay['intent']['id'], intentCode: 4_242, createdAtMs: 0, expectedSender: null },
    terms: {
      network: token.network,
      token,
      payTo: direct ? wallet : payTo,
      amount: atomicAmount(AMOUNT),
      payoutId: 7n,
      ...(direct && { direct: activation }),
    },
    payments: 0,
    setup: { processor, ready: true },
    attempt,
    endsAtMs: ENDS_AT_MS,
    rpcUrlPublic: 'https://rpc.example',
    requestUrlOf: () => null,
  };
}

/** Reads a link by the grammar of EIP-681; the standard knows no other form of a call. */
function readLink(link: string) {
  const [, target, chainId, name, query = ''] =
    /^ethereum:(?:pay-)?(0x[0-9a-fA-F]{40})@(\d+)\/([A-Za-z_]\w*)\?(.+)$/.exec(link) ?? [];
  const parameters = query.split('&').map((parameter) => {
    const [, type, value] = /^(address|uint\d+)=(0x[0-9a-fA-F]{40}|\d+)$/.exec(parameter) ?? [];
    return [type, value];
  });
  return { target, chainId, name, parameters };
}

function optionOf<Kind extends 'evm_processor' | 'evm_authorization'>(kind: Kind, changes?: Changes) {
  const option = regularOption(way(changes));
  if (option?.kind !== kind) throw new Error(`${option?.kind} instead of ${kind}`);
  return option as Extract<typeof option, { kind: Kind }>;
}

test.each([{}, { direct: true }] as const)('an option reads by the shape of the wire: %j', (changes) => {
  const option = regularOption(way(changes));
  expect(regularOptionSchema.parse(JSON.parse(JSON.stringify(option)))).toEqual(option);
});

describe('through the processor', () => {
  test.each(['base_usdc', 'arbitrum_arb', 'anvil_plain'])('the payer allows exactly the amount of %s', (shortcode) => {
    const { approve, token, amount, payTo } = optionOf('evm_processor', { shortcode });
    expect(amount).toBe(AMOUNT.toString());
    expect(approve).toMatchObject({ to: token, amount });
    expect(payTo).toBe(processor);
    expect(decodeFunctionData({ abi: erc20Abi, data: approve.data as `0x${string}` })).toEqual({
      functionName: 'approve',
      args: [processor, AMOUNT],
    });
  });

  test('the call names intent, payout and amount, by the interface of the deployed processor', () => {
    const { pay, token } = optionOf('evm_processor');
    expect(pay.to).toBe(processor);
    expect(decodeFunctionData({ abi: paymentProcessorAbi, data: pay.data as `0x${string}` })).toEqual({
      functionName: 'pay',
      args: [token, 4_242n, 7n, AMOUNT],
    });
  });

  test('a wallet that reads EIP-681 makes the same two calls', () => {
    const { approve, link, token } = optionOf('evm_processor');
    expect(readLink(approve.link)).toEqual({
      target: token,
      chainId: '8453',
      name: 'approve',
      parameters: [
        ['address', processor],
        ['uint256', '12500000'],
      ],
    });
    expect(readLink(link)).toEqual({
      target: processor,
      chainId: '8453',
      name: 'pay',
      parameters: [
        ['address', token],
        ['uint64', '4242'],
        ['uint64', '7'],
        ['uint256', '12500000'],
      ],
    });
  });

  test('nobody is sent to a processor that the operator does not name', () => {
    expect(regularOption(way({ payTo: `0x${'ee'.repeat(20)}` }))).toBeUndefined();
    expect(regularOption(way({ payTo: processor.toLowerCase() }))).toBeDefined();
  });
});

describe('to the merchant’s wallet', () => {
  test('the nonce is bound to the intent, and another one for each attempt', () => {
    const nonces = [0, 1].map((attempt) => {
      const { typedData, terms } = optionOf('evm_authorization', { direct: true, attempt });
      expect(readDirectTerms(terms)).toMatchObject({ intentCode: 4_242, attempt, amount: AMOUNT.toString(), wallet });
      expect(typedData.message.nonce).toBe(directNonce(readDirectTerms(terms)!));
      return typedData.message.nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  test('the authorization ends before the first second in which a payment would come too late', () => {
    const { typedData, expiresAt } = optionOf('evm_authorization', { direct: true });
    const { to, value, validAfter, validBefore } = typedData.message;
    expect({ to, value, validAfter }).toEqual({ to: wallet, value: AMOUNT.toString(), validAfter: '0' });
    // A token takes it in blocks whose time is below `validBefore`.
    expect((Number(validBefore) - 1) * 1_000).toBeLessThan(Date.parse(expiresAt));
    expect(Date.parse(expiresAt)).toBe(ENDS_AT_MS);
    expect(typedData.domain).toMatchObject({ name: 'USD Coin', version: '2', chainId: 8453 });
  });

  test('a token that takes no such authorization has no option there', () => {
    expect(regularOption(way({ shortcode: 'anvil_plain', direct: true }))).toBeUndefined();
  });
});
