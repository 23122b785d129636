import { type OfferedPayment, TOKENS } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { acceptanceTerms } from './acceptance-terms.ts';

const processor = `0x${'9c'.repeat(20)}`;
const offered = (shortcode: string, rpcUrlPublic?: string) => {
  const token = TOKENS.find((known) => known.shortcode === shortcode);
  const offer = { token, setup: { processor, ready: true } } as unknown as OfferedPayment['offer'];
  return { offer, maxTimeoutSeconds: 300, rpcUrlPublic };
};

test('a wallet is asked to sign a transfer to the processor, by the token’s own domain', () => {
  expect(acceptanceTerms(offered('base_usdc', 'https://rpc.example'), undefined)).toEqual({
    payTo: processor,
    maxTimeoutSeconds: 300,
    extra: {
      name: 'USD Coin',
      eip3009Version: '2',
      primaryType: 'TransferWithAuthorization',
      rpcChainId: '8453',
      rpcUrlPublic: 'https://rpc.example',
    },
  });
});

test('a permit names the nonce that the payer must sign, where it is known', () => {
  expect(acceptanceTerms(offered('arbitrum_arb'), 7n).extra).toMatchObject({ primaryType: 'Permit', permitNonce: '7' });
  expect(acceptanceTerms(offered('arbitrum_arb'), undefined).extra).not.toHaveProperty('permitNonce');
});
