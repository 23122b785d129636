import { expect, test } from 'vitest';
import type { Acceptance } from '../wire/acceptance.ts';
import { challengeOf, challengeV1Of, type OfferedTerms, offeredTermsOf, requirementsOf } from './offer-requirements.ts';

const acceptance: Acceptance = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: '10000',
  resource: null,
  description: 'a page',
  mimeType: null,
  payTo: `0x${'22'.repeat(20)}`,
  maxTimeoutSeconds: 300,
  asset: `0x${'33'.repeat(20)}`,
  extra: {
    intentId: 'pi_1',
    name: 'USDC',
    eip3009Version: '2',
    primaryType: 'TransferWithAuthorization',
    facilitatorUrl: 'https://pay.example',
  },
};
const offered = (change: Partial<Acceptance> = {}) => offeredTermsOf({ ...acceptance, ...change }) as OfferedTerms;
const resource = { url: 'https://shop.example/a', description: 'a page', mimeType: null };

test('an acceptance becomes requirements of version 2 with the domain that a stock client signs under', () => {
  expect(requirementsOf(offered())).toEqual({
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '10000',
    asset: acceptance.asset,
    payTo: acceptance.payTo,
    maxTimeoutSeconds: 300,
    extra: { name: 'USDC', version: '2', intentId: 'pi_1' },
  });
});

test('Solana is named by its genesis hash, with who pays the fee and the memo of the intent, and without a blockhash', () => {
  const solana = offered({
    network: 'solana:devnet',
    extra: { intentId: 'pi_1', feePayer: 'Fee1', memo: 'svc:pi_1', recentBlockhash: 'old', transactionBase64: 'AQAB' },
  });
  expect(requirementsOf(solana)).toMatchObject({ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' });
  expect(requirementsOf(solana)?.extra).toEqual({ feePayer: 'Fee1', memo: 'svc:pi_1', intentId: 'pi_1' });
});

test('a Solana payment of several transfers, which has no memo to sign, is not offered', () => {
  const divided = { network: 'solana:devnet', extra: { intentId: 'pi_1', feePayer: 'Fee1' } };
  expect(requirementsOf(offered(divided))).toBeUndefined();
});

test('what no stock client can sign is not offered: up-to, Permit tokens, networks without a signing domain', () => {
  expect(requirementsOf(offered({ scheme: 'upto' }))).toBeUndefined();
  expect(requirementsOf(offered({ extra: { ...acceptance.extra, primaryType: 'Permit' } }))).toBeUndefined();
  expect(requirementsOf(offered({ network: 'icp:mainnet', extra: { intentId: 'pi_1' } }))).toBeUndefined();
  expect(challengeOf([offered({ scheme: 'upto' })], resource)).toBeUndefined();
});

test('a challenge has every acceptance that can be signed, once, and the resource beside them', () => {
  const challenge = challengeOf(
    [offered({ scheme: 'upto' }), offered(), offered({ network: 'eip155:8453' })],
    resource,
  );
  expect(challenge).toMatchObject({
    x402Version: 2,
    resource: { url: resource.url, description: 'a page' },
    accepts: [{ network: 'eip155:84532' }, { network: 'eip155:8453' }],
  });
  expect(challenge).not.toHaveProperty('error');
});

test('version 1 gets its own names, and networks without one are left out', () => {
  const { accepts, error } = challengeV1Of([offered(), offered({ network: 'eip155:31337' })], resource, 'pay first');
  expect(error).toBe('pay first');
  expect(accepts).toEqual([
    {
      scheme: 'exact',
      network: 'base-sepolia',
      maxAmountRequired: '10000',
      resource: resource.url,
      description: 'a page',
      mimeType: '',
      payTo: acceptance.payTo,
      maxTimeoutSeconds: 300,
      asset: acceptance.asset,
      extra: { name: 'USDC', version: '2', intentId: 'pi_1' },
    },
  ]);
});
