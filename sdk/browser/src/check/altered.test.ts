import { TOKENS } from '@svc-pay/core';
import { parseNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { offered, SAMPLE, settled } from '../testing/fake-service.ts';
import { payWorld } from '../testing/pay-world.ts';
import { KNOWN_TOKENS } from './known-tokens.ts';
import type { PaymentRequest } from './payment-request.ts';

const OTHER = '0x9999999999999999999999999999999999999999';
const REQUEST: PaymentRequest = { usdAmount: '12.50', tokenShortcode: 'base_usdc' };
const pinned: PaymentRequest = { ...REQUEST, expect: { payTo: SAMPLE.payTo.toUpperCase().replace('0X', '0x') } };
const floating: PaymentRequest = { usdAmount: 5, expect: { maxAmount: '12500000', asset: SAMPLE.asset ?? '' } };

const answersWith = (...accepts: unknown[]) => ({ intent: [offered(...accepts)], settle: [settled('succeeded')] });

describe('an acceptance that was altered on the way is refused before anybody is asked to sign', () => {
  test.each<[string, PaymentRequest, object]>([
    ['amount', REQUEST, { maxAmountRequired: '12500001' }],
    ['amount', REQUEST, { maxAmountRequired: '0' }],
    ['amount', { amount: '12500000', tokenShortcode: 'base_usdc' }, { maxAmountRequired: '12499999' }],
    ['amount', floating, { maxAmountRequired: '12500001' }],
    ['payTo', pinned, { payTo: OTHER }],
    ['payTo', { ...REQUEST, expect: { payTo: [SAMPLE.payTo, SAMPLE.asset ?? ''] } }, { payTo: OTHER }],
    ['payTo', { ...REQUEST, expect: { payTo: [] } }, {}],
    ['asset', REQUEST, { asset: OTHER }],
    ['asset', REQUEST, { asset: null, payTo: OTHER }],
    ['asset', floating, { asset: OTHER }],
    ['network', REQUEST, { network: 'eip155:1', extra: { ...SAMPLE.extra, rpcChainId: '1' } }],
    ['network', REQUEST, { network: '1' }],
    ['network', REQUEST, { network: 'solana:mainnet' }],
    ['network', REQUEST, { extra: { ...SAMPLE.extra, rpcChainId: '1' } }],
    ['network', { usdAmount: 1, chainId: 137 }, {}],
    ['window', REQUEST, { maxTimeoutSeconds: 86_400 }],
    ['window', { ...REQUEST, expect: { maxTimeoutSeconds: 300 } }, { maxTimeoutSeconds: 301 }],
    ['window', REQUEST, { maxTimeoutSeconds: 0 }],
    ['scheme', REQUEST, { scheme: 'upto' }],
    ['intent', REQUEST, { extra: { ...SAMPLE.extra, intentId: 'pi_other' } }],
    ['unreadable', REQUEST, { maxAmountRequired: 12_500_000 }],
  ])('%s: %j %j', async (reason, request, change) => {
    const { pay, failure, provider, service, terminals } = payWorld({ answers: answersWith({ ...SAMPLE, ...change }) });
    expect(await failure(pay.createPayment(request))).toMatchObject({
      code: 'acceptance_refused',
      reason,
      moneyMoved: 'no',
    });
    expect(provider.methods()).toEqual([]);
    expect(service.of('settle')).toEqual([]);
    expect(terminals()).toHaveLength(1);
  });

  test('a client pins who may be paid for all of its requests, and a request for itself', async () => {
    const paying = (payTo: string | readonly string[], request: PaymentRequest) => {
      const { pay, time } = payWorld({ answers: answersWith(SAMPLE), client: { payTo } });
      return time.run(pay.createPayment(request).catch((problem: unknown) => problem));
    };
    expect(await paying(OTHER, REQUEST)).toMatchObject({ code: 'acceptance_refused', reason: 'payTo' });
    expect(await paying([OTHER, SAMPLE.payTo.toLowerCase()], REQUEST)).toMatchObject({ status: 'completed' });
    expect(await paying(OTHER, pinned)).toMatchObject({ status: 'completed' });
  });

  test('among several, the altered one is never the one that is signed', async () => {
    const { pay, time, provider, service } = payWorld({
      answers: answersWith({ ...SAMPLE, maxAmountRequired: '1' }, { ...SAMPLE, asset: OTHER }, SAMPLE),
    });
    await time.run(pay.createPayment(REQUEST));
    expect(provider.signed()[0]?.message['value']).toBe('12500000');
    expect(service.of('settle')[0]?.body['paymentRequirements']).toEqual(SAMPLE);
  });
});

test.each<[string, PaymentRequest, object]>([
  ['decimal networks', pinned, { network: '8453' }],
  ['letters of an address', REQUEST, { asset: SAMPLE.asset?.toLowerCase() }],
  ['absent or null optional fields', REQUEST, { maxTimeoutSeconds: null, description: null, resource: undefined }],
  ['a price that only the service knows', { usdAmount: 3 }, { maxAmountRequired: '777' }],
])('what means the same is the same: %s', async (_, request, change) => {
  const { pay, time } = payWorld({ answers: answersWith({ ...SAMPLE, ...change }) });
  expect(await time.run(pay.createPayment(request))).toMatchObject({ status: 'completed' });
});

test('the tokens known here are the service’s own, address by address', () => {
  const payable = TOKENS.filter(({ network }) => /^(?:eip155|solana|icp):/.test(network));
  expect(Object.keys(KNOWN_TOKENS).sort()).toEqual(payable.map(({ shortcode }) => shortcode).sort());
  for (const { shortcode, network, address, unit, price } of payable) {
    const known = KNOWN_TOKENS[shortcode];
    expect(known && [parseNetwork(known.network), known.asset]).toEqual([network, address]);
    expect(known?.dollarDecimals).toBe(price === 'fixed' ? unit.decimals : undefined);
  }
});
