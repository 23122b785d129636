import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { expect, test } from 'vitest';
import { systemPorts } from '../ports.ts';
import { agentTokens } from './agent-tokens.ts';
import { chooseOffer } from './choose-offer.ts';
import { readChallenge } from './read-challenge.ts';

const PROCESSOR = `0x${'44'.repeat(20)}` as const;
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const terms = {
  chainId: 84_532,
  processor: PROCESSOR,
  token: USDC,
  payoutId: '7',
  merchant: `0x${'33'.repeat(20)}`,
  feeBps: 0,
  splits: [],
  intentCode: '12',
  attempt: 0,
};
const svc = { authorizationType: 'ReceiveWithAuthorization', boundNonce: boundNonce(terms), terms };
const acceptance = {
  scheme: 'upto',
  network: 'eip155:84532',
  amount: '1000000',
  maxAmountRequired: '1000000',
  asset: USDC,
  payTo: PROCESSOR,
  maxTimeoutSeconds: 300,
  extra: { intentId: 'pi_1', name: 'USDC', eip3009Version: '2', offer: 'ab', svc },
};
const judge = { findToken: agentTokens([]), payer: `0x${'11'.repeat(20)}`, maxWindowSeconds: 600 };
const challenge = { x402Version: 2, paymentIntentId: 'pi_1', accepts: [acceptance], error: '' };
const read = (response: Response) => readChallenge(response, { ports: systemPorts, timeoutMs: 1_000 });
const inBody = (value: object) => new Response(JSON.stringify(value), { status: 402 });

test('a cap of SVC Pay’s up-to, in the body of a 402, is an offer of the whole cap', async () => {
  const chosen = chooseOffer(await read(inBody(challenge)), judge);
  const primaryType = 'ReceiveWithAuthorization';
  const offer = { amountAtomic: '1000000', units: 10n ** 18n, raw: acceptance, primaryType, nonce: boundNonce(terms) };
  expect(chosen).toMatchObject({ ok: true, offer });
});

test('a header that offers `upto` means the official scheme, which is not signed', async () => {
  const headers = { 'payment-required': btoa(JSON.stringify({ ...challenge, resource: { url: 'https://x.test' } })) };
  const official = await read(new Response('{}', { status: 402, headers }));
  expect(chooseOffer(official, judge)).toEqual({ ok: false, reasons: ['offer 1: scheme is not exact'] });
});

test('beside a cap nothing else in such a body is signed', async () => {
  const exact = { ...challenge, accepts: [{ ...acceptance, scheme: 'exact' }] };
  expect(chooseOffer(await read(inBody(exact)), judge)).toMatchObject({ ok: false });
});

test('a cap to a wallet, which would be a price, is not signed', async () => {
  const { svc: _, ...extra } = acceptance.extra;
  const unbound = { ...challenge, accepts: [{ ...acceptance, extra }] };
  const reasons = ['offer 1: a cap is signed only to a processor, by extra.svc'];
  expect(chooseOffer(await read(inBody(unbound)), judge)).toEqual({ ok: false, reasons });
});
