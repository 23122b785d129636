import { describe, expect, test } from 'vitest';
import type { Acceptance } from '../wire/acceptance.ts';
import { buildSignRequest } from './sign-request.ts';

const token = `0x${'70'.repeat(20)}`;
const processor = `0x${'9c'.repeat(20)}`;
const payer = `0x${'aa'.repeat(20)}`;
const nonce = `0x${'00'.repeat(31)}2a`;
const acceptance: Acceptance = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: '1500000',
  payTo: processor,
  asset: token,
  maxTimeoutSeconds: 120,
  extra: { name: 'USDC', eip3009Version: '2' },
};
const nowSeconds = 1_700_000_000;
const build = (change: Partial<Acceptance> = {}) =>
  buildSignRequest({ acceptance: { ...acceptance, ...change }, payer, nonce, nowSeconds });

test('the domain is the token’s on the acceptance’s chain', () => {
  expect(build()).toMatchObject({
    ok: true,
    typedData: { domain: { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: token } },
  });
});

test('a plain chain id is understood as a network', () => {
  expect(build({ network: '84532' })).toMatchObject({ typedData: { domain: { chainId: 84_532 } } });
});

test('without an asset the verifying contract is payTo', () => {
  const { asset: _, ...withoutAsset } = acceptance;
  const request = buildSignRequest({ acceptance: withoutAsset, payer, nonce, nowSeconds });
  expect(request).toMatchObject({ typedData: { domain: { verifyingContract: processor } } });
});

test('the payer signs a transfer of the whole amount, valid from a day ago to the end of the window', () => {
  expect(build()).toMatchObject({
    typedData: {
      primaryType: 'TransferWithAuthorization',
      message: {
        from: payer,
        to: processor,
        value: '1500000',
        validAfter: '1699913600',
        validBefore: '1700000120',
        nonce,
      },
    },
  });
});

test('without a window the signature lives 300 seconds', () => {
  const { maxTimeoutSeconds: _, ...withoutWindow } = acceptance;
  const request = buildSignRequest({ acceptance: withoutWindow, payer, nonce, nowSeconds });
  expect(request).toMatchObject({ authorization: { validBefore: '1700000300' } });
});

test('a Permit hint makes a permit: owner, spender, the token’s nonce and a deadline', () => {
  expect(build({ extra: { ...acceptance.extra, primaryType: 'Permit' } })).toMatchObject({
    ok: true,
    typedData: {
      primaryType: 'Permit',
      message: { owner: payer, spender: processor, value: '1500000', nonce: '42', deadline: '1700000120' },
    },
    authorization: { from: payer, to: processor, validBefore: '1700000120', nonce },
  });
});

describe('refused before a wallet is bothered', () => {
  test.each([
    ['a Solana acceptance', { network: 'solana:mainnet' }, 'network_not_evm'],
    ['an unknown network', { network: 'base' }, 'network_not_evm'],
    ['no domain name', { extra: { eip3009Version: '2' } }, 'domain_incomplete'],
    ['no domain version', { extra: { name: 'USDC' } }, 'domain_incomplete'],
    ['a recipient that is no address', { payTo: 'me' }, 'field_malformed'],
    ['a token that is no address', { asset: 'usdc' }, 'field_malformed'],
    ['an amount that is no number', { maxAmountRequired: '1.5' }, 'field_malformed'],
  ] as const)('%s', (_, change, code) => {
    expect(build(change)).toEqual({ ok: false, code });
  });
});
