// Programs that a stranger could have written: each uses the packages as its place would, and prints what came of it.

/** Pays against a service and a wallet that are played. Behind the lines that import `createSvcPay` and `evmWallet`. */
const PAY = `
const asset = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const acceptance = {
  scheme: 'exact', network: 'eip155:8453', maxAmountRequired: '1500000', asset,
  payTo: '0x1111111111111111111111111111111111111111', maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', eip3009Version: '2', primaryType: 'TransferWithAuthorization' },
};
const answer = (status, body) => new Response(JSON.stringify(body), { status });
const provider = {
  async request({ method }) {
    if (method === 'eth_requestAccounts') return ['0x2222222222222222222222222222222222222222'];
    if (method === 'eth_chainId') return '0x2105';
    if (method === 'eth_signTypedData_v4') return '0x' + 'ab'.repeat(65);
    return '0x' + 'f'.repeat(64);
  },
};
const pay = createSvcPay({
  baseUrl: 'https://pay.example', publishableKey: 'pk_test_x', wallet: evmWallet({ provider }),
  ports: {
    fetch: async (url) => url.endsWith('/settle')
      ? answer(200, { status: 'succeeded', paymentIntent: { id: 'pi_1' }, transactionId: '0x12' })
      : answer(402, { x402Version: 2, paymentIntentId: 'pi_1', accepts: [acceptance], error: '' }),
  },
});
const { status } = await pay.createPayment({ usdAmount: '1.5', tokenShortcode: 'base_usdc' });
const failed = await pay.createPayment({ usdAmount: 'x' }).catch((error) => error);
console.log(status, failed instanceof SvcPayError, failed.isUserCancelled());
`;

export const PAYS = 'completed true false\n';

const FROM_PACKAGE = `
import { createSvcPay, SvcPayError } from '@svc-pay/sdk';
import { evmWallet } from '@svc-pay/sdk/evm';
`;

export const PAY_FROM_PACKAGE = FROM_PACKAGE + PAY;

/** As a page without a bundler has it: one file, by its address. */
export const PAY_FROM_ADDRESS = `import { createSvcPay, SvcPayError, evmWallet } from './svc-pay.js';\n${PAY}`;

export const RECEIVE = `
import { createReceiver, createSvcPay, orThrow, SvcPayError } from '@svc-pay/server';
import { webhookHandler } from '@svc-pay/server/express';
import { webhookPlugin } from '@svc-pay/server/fastify';
import { webhookHandler as honoHandler } from '@svc-pay/server/hono';
import { webhookRoute } from '@svc-pay/server/next';
import { webhookListener } from '@svc-pay/server/node';

const receiver = createReceiver({ secrets: ['a-secret-of-some-length'] });
const route = webhookRoute({ receiver, handle: () => {} });
const { status } = await route(new Request('https://shop.example', { method: 'POST', body: '{}' }));
console.log(status, [webhookHandler, webhookPlugin, honoHandler, webhookListener].every((one) => typeof one === 'function'));

const body = { x402Version: 2, paymentIntentId: 'pi_1', rpcChainId: '', accepts: [], error: '' };
const svc = createSvcPay({
  baseUrl: 'https://pay.example', secretKey: 'sk_test_x', maxAttempts: 1,
  fetch: async (url) => new Response(JSON.stringify(body), { status: url.endsWith('/x402') ? 402 : 500 }),
});
const created = orThrow(await svc.intents.create({ usdAmount: '1' }));
const lost = await svc.events.list().then(orThrow).catch((error) => error);
console.log(created.paymentIntentId, lost instanceof SvcPayError, lost.failure.code);
`;

export const RECEIVES = '400 true\npi_1 true answer_unreadable\n';

export const SELL = `
import { createFacilitator } from '@svc-pay/x402';
import { createProtect as forExpress } from '@svc-pay/x402/express';
import { createProtect as forFastify } from '@svc-pay/x402/fastify';
import { createProtect as forHono } from '@svc-pay/x402/hono';
import { createProtect } from '@svc-pay/x402/next';

const tokens = [{ asset: '0xa', payTo: '0xb', decimals: 6, name: 'USD Coin', version: '2' }];
const supported = { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453', extra: { tokens } }], extensions: [], signers: {} };
const options = {
  baseUrl: 'https://pay.example', secretKey: 'sk_test_x',
  fetch: async () => new Response(JSON.stringify(supported)),
};
const route = createProtect(options)({ price: '$0.01' }, () => new Response('never without payment'));
const { status, headers } = await route(new Request('https://api.example/data'));
const { accepts } = JSON.parse(atob(headers.get('payment-required')));
console.log(status, accepts[0].amount, await createFacilitator(options).payToOn('eip155:8453')());
console.log([forExpress, forFastify, forHono].every((one) => typeof one(options)({ price: '$1' }) !== 'undefined'));
`;

export const SELLS = '402 10000 0xb\ntrue\n';

/** On a server that makes pages. */
export const BUTTON = `
import { TAG_NAME } from '@svc-pay/pay-button';
console.log(TAG_NAME, typeof globalThis.customElements);
`;

export const NAMES_BUTTON = 'svc-pay-button undefined\n';

/** What an editor sees. A line that must not type-check is marked; it would be an error if it did. */
export const TYPES = `
import { createSvcPay, SvcPayError, type PaymentResult, type TransactionDetail } from '@svc-pay/sdk';
import { type Eip1193Provider, evmWallet } from '@svc-pay/sdk/evm';
import type { OwnWords, StateDetail } from '@svc-pay/pay-button';
import { type CallFailure, createReceiver, createSvcPay as createBackend, onEvent } from '@svc-pay/server';
import { webhookListener } from '@svc-pay/server/node';
import { createFacilitator } from '@svc-pay/x402';
import { charge, createProtect } from '@svc-pay/x402/next';

declare const provider: Eip1193Provider;
const pay = createSvcPay({ baseUrl: 'https://x', publishableKey: 'pk_test_x', wallet: evmWallet({ provider }) });
pay.on('svc-sdk-transaction-completed', (detail: TransactionDetail) => detail.attemptId.length);
const paid: Promise<PaymentResult> = pay.createPayment({ usdAmount: 1 }, { signal: AbortSignal.timeout(1000) });
paid.catch((error: unknown) => error instanceof SvcPayError && error.isUserCancelled());
// @ts-expect-error an amount is no object
void pay.createPayment({ usdAmount: {} });
// @ts-expect-error no such event
pay.on('svc-sdk-transaction-done', () => {});

const button = document.createElement('svc-pay-button');
button.usdAmount = '12.50';
button.words = { pay: 'Pay {amount}' } satisfies OwnWords;
button.addEventListener('svc-pay-state', (event) => (event as CustomEvent<StateDetail>).detail.moneyMoved);
// @ts-expect-error read only
button.state = 'paid';

const handle = onEvent({
  'payment.completed': (event) => {
    const amount: string = event.data.object.amount;
    // @ts-expect-error amounts are text
    const wrong: number = event.data.object.amount;
    console.log(amount, wrong);
  },
  default: () => {},
});
webhookListener({ receiver: createReceiver({ secrets: ['x'] }), handle });

const svc = createBackend({ baseUrl: 'https://x', secretKey: 'sk_test_x' });
const settled = await svc.upto.settle({ paymentIntentId: 'pi_1', settledAmount: '1' });
const failure: CallFailure | undefined = settled.ok ? undefined : settled;
const isGone: boolean = failure?.code === 'not_found';
for await (const { id, type } of svc.events.each({ undelivered: true })) console.log(id.length, type, isGone);
// @ts-expect-error one amount, not two
void svc.upto.settle({ paymentIntentId: 'pi_1', settledAmount: '1', settledAmountUsd: 1 });
// @ts-expect-error no such event type
void svc.endpoints.create({ url: 'https://x', eventTypes: ['payment.done'] });

const payTo: () => Promise<string> = createFacilitator({ baseUrl: 'https://x', secretKey: 'sk_test_x' }).payToOn('eip155:1');
const protect = createProtect({ baseUrl: 'https://x', secretKey: 'sk_test_x', accountId: 'acct_1' });
export const GET: (request: Request) => Promise<Response> = protect({ upTo: '$1.00' }, async (request: Request) => {
  charge(request, '$0.37');
  return Response.json(await payTo());
});
// @ts-expect-error one price, not two
protect({ price: '$1', upTo: '$1' }, () => new Response());
`;
