import { type OfferedPayment, TOKENS } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { atomicAmount } from '@svc-pay/money';
import { boundNonce, readBoundTerms } from '@svc-pay/protocol/bound-nonce';
import { directNonce, readDirectTerms } from '@svc-pay/protocol/direct-nonce';
import { expect, test } from 'vitest';
import { acceptanceTerms } from './acceptance-terms.ts';

const processor = `0x${'9c'.repeat(20)}`;
const wallet = `0x${'66'.repeat(20)}`;
const payout = {
  payoutId: 7n,
  processor,
  merchant: `0x${'77'.repeat(20)}`,
  feeBps: 50,
  splits: [{ to: `0x${'88'.repeat(20)}`, bps: 100 }],
};

const offered = (
  shortcode: string,
  { rpcUrlPublic, direct = false }: { rpcUrlPublic?: string; direct?: boolean } = {},
) => {
  const token = TOKENS.find((known) => known.shortcode === shortcode)!;
  const activation = sampleActivation({ wallet, asset: token.address.toLowerCase(), mode: 'live' });
  const own = { ...payout, processor: wallet, merchant: wallet, direct: { activation } };
  const offer = { token, amount: atomicAmount(12_500_000n), setup: { processor }, payout: direct ? own : payout };
  return {
    offer: offer as unknown as OfferedPayment['offer'],
    intent: { intentCode: 4_242 },
    maxTimeoutSeconds: 300,
    rpcUrlPublic,
  };
};

const COMMON = {
  name: 'USD Coin',
  eip3009Version: '2',
  primaryType: 'TransferWithAuthorization',
  rpcChainId: '8453',
  rpcUrlPublic: 'https://rpc.example',
};

test('a wallet is asked to sign a transfer to the processor, by the token’s own domain', () => {
  const { extra, ...terms } = acceptanceTerms(offered('base_usdc', { rpcUrlPublic: 'https://rpc.example' }), undefined);
  expect(terms).toEqual({ payTo: processor, maxTimeoutSeconds: 300 });
  const { svc, ...common } = extra;
  expect(common).toEqual(COMMON);
  expect(svc).toMatchObject({
    authorizationType: 'ReceiveWithAuthorization',
    terms: { chainId: 8453, processor, payoutId: '7', feeBps: 50, intentCode: 4_242, attempt: 0 },
  });
  expect(svc?.boundNonce).toBe(boundNonce(readBoundTerms(JSON.parse(JSON.stringify(svc?.terms)))!));
});

test('or to the merchant’s own wallet, where the payout is direct; nothing else of the acceptance differs', () => {
  const direct = offered('base_usdc', { rpcUrlPublic: 'https://rpc.example', direct: true });
  const { extra, ...terms } = acceptanceTerms(direct, undefined);
  expect(terms).toEqual({ payTo: wallet, maxTimeoutSeconds: 300 });
  const { svc, ...common } = extra;
  expect(common).toEqual(COMMON);
  expect(svc).toMatchObject({
    authorizationType: 'TransferWithAuthorization',
    terms: { mode: 'live', chainId: 8453, wallet, amount: '12500000', intentCode: 4_242, attempt: 0 },
  });
  expect(svc?.boundNonce).toBe(directNonce(readDirectTerms(JSON.parse(JSON.stringify(svc?.terms)))!));
});

test('a permit names the nonce that the payer must sign, where it is known, and binds to nothing', () => {
  expect(acceptanceTerms(offered('arbitrum_arb'), 7n).extra).toMatchObject({ primaryType: 'Permit', permitNonce: '7' });
  expect(acceptanceTerms(offered('arbitrum_arb'), undefined).extra).not.toHaveProperty('permitNonce');
  expect(acceptanceTerms(offered('arbitrum_arb'), undefined).extra).not.toHaveProperty('svc');
});
