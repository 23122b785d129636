import { expect, test, vi } from 'vitest';
import { createProtect } from '../adapters/next.ts';
import { ASSET, fakeFacilitator, PAY_TO, type Script, SUPPORTED, VALID } from '../testing/fake-facilitator.ts';
import { encoded, SIGNED } from '../testing/sample-payment.ts';

const OTHER_ASSET = `0x${'55'.repeat(20)}`;
const [kind] = SUPPORTED.kinds;
const TWO_TOKENS = {
  ...SUPPORTED,
  kinds: [
    {
      ...kind,
      extra: {
        tokens: [ASSET, OTHER_ASSET].map((asset) => ({ asset, payTo: PAY_TO, decimals: 6, name: 'USD', version: '1' })),
      },
    },
  ],
};
const refused = (invalidReason: string) => ({ body: { isValid: false, invalidReason } });

/** A payment of version 1, which does not name its token. */
async function payV1(verify: Script[string]) {
  const { options, callsOf } = await fakeFacilitator({
    '/x402/supported': [{ body: TWO_TOKENS }],
    '/x402/verify': verify,
  });
  const handler = vi.fn(() => new Response('what was paid for'));
  const header = encoded({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: SIGNED });
  const route = createProtect(options)({ price: '$0.01' }, handler);
  const answer = await route(new Request('http://seller.test/data', { headers: { 'x-payment': header } }));
  const assetsOf = (path: string) =>
    callsOf(path).map(({ body }) => (body as { paymentRequirements: { asset: string } }).paymentRequirements.asset);
  return { answer, handler, verified: assetsOf('/x402/verify'), settled: assetsOf('/x402/settle') };
}

test('a payment of version 1 is verified against each token of its network, and settled in the one it fits', async () => {
  const { answer, handler, verified, settled } = await payV1([refused('invalid_exact_evm_payload_signature'), VALID]);
  expect(await answer.text()).toBe('what was paid for');
  expect([verified, settled]).toEqual([[ASSET, OTHER_ASSET], [OTHER_ASSET]]);
  expect(handler).toHaveBeenCalledOnce();
});

test('a payment of version 1 that fits no token is 402, and one that is spent is 409 whatever the next token says', async () => {
  expect((await payV1([refused('invalid_exact_evm_payload_signature')])).answer.status).toBe(402);
  const spent = await payV1([refused('invalid_transaction_state'), VALID]);
  expect([spent.answer.status, spent.verified]).toEqual([409, [ASSET]]);
  expect(spent.handler).not.toHaveBeenCalled();
});
