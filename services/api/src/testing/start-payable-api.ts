// API with a chain: intents in the local tokens can be paid; intents on Base Sepolia cannot be verified.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@svc-pay/core';
import type { Acceptance } from '@svc-pay/protocol';
import type { Environment } from '@svc-pay/runtime/config';
import { afterwards } from './afterwards.ts';
import { CREATE, call } from './call.ts';
import { type PaymentChain, startPaymentChain } from './payment-chain.ts';
import { NETWORKS, PROCESSOR } from './seed-account.ts';
import { startTestApi, type TestApi } from './start-test-api.ts';

export type PayableIntent = { readonly id: string; readonly acceptance: Acceptance };

export type PayableApi = TestApi & {
  readonly chain: PaymentChain;
  /** Value of `SVC_NETWORKS`. */
  readonly networks: string;
  /** Creates an intent with one acceptance; in USDC unless the body says otherwise. */
  readonly newIntent: (body?: object) => Promise<PayableIntent>;
};

export async function startPayableApi(environment: Environment = {}, clock?: Clock): Promise<PayableApi> {
  const chain = await startPaymentChain();
  const prices = createServer((_, response) => {
    response.end(JSON.stringify({ usd: '2', observedAt: new Date().toISOString() }));
  });
  await new Promise<void>((resolve) => void prices.listen(0, '127.0.0.1', resolve));
  afterwards(() => void prices.close());
  const explorerUrl = 'https://explorer.example/tx/{transactionId}';
  const local = { processor: PROCESSOR, processorVersion: '1.3.0', ready: true, rpcUrls: [chain.rpcUrl], explorerUrl };
  const networks = JSON.stringify({ ...NETWORKS, 'eip155:31337': local });
  const api = await startTestApi(
    {
      SVC_NETWORKS: networks,
      SVC_PRICE_FEED_URL: `http://127.0.0.1:${(prices.address() as AddressInfo).port}`,
      SVC_SETTLE_WAIT_MS: '0',
      ...environment,
    },
    clock,
  );
  return {
    ...api,
    chain,
    networks,
    newIntent: async (body = {}) => {
      const asked = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc', ...body };
      const response = await call(api, 'POST', CREATE, { key: api.account.keys.test.publishable, body: asked });
      const { paymentIntentId, accepts } = response.json();
      return { id: paymentIntentId, acceptance: accepts[0] };
    },
  };
}
