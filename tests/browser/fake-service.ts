// A fake: the service's public routes, answered as a test wishes. For what the real one can't be made to do within seconds:
// being slow for half a minute, going away, answering nonsense.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeFunctionData, parseAbi } from 'viem';

export type Answer = { readonly status: number; readonly body: unknown } | 'broken' | 'silence';
type Route = 'intent' | 'regular' | 'settle' | 'confirm' | 'notify' | 'stream';

export const INTENT_ID = 'pi_fake';
const PAY_TO = '0x1111111111111111111111111111111111111111';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const EURC = '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42';

export const acceptance = (more: object = {}, extra: object = {}) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  maxAmountRequired: '12500000',
  payTo: PAY_TO,
  maxTimeoutSeconds: 300,
  asset: USDC,
  extra: {
    name: 'USD Coin',
    eip3009Version: '2',
    primaryType: 'TransferWithAuthorization',
    rpcChainId: '8453',
    ...extra,
  },
  ...more,
});
export const inEuros = acceptance({ asset: EURC, maxAmountRequired: '11420000' }, { name: 'EURC' });

export const offered = (...accepts: readonly object[]): Answer => ({
  status: 402,
  body: { x402Version: 2, paymentIntentId: INTENT_ID, rpcChainId: '8453', accepts, error: '' },
});
/** Answers that X402 can't be used. */
export const notOffered: Answer = {
  status: 200,
  body: {
    status: 'failed',
    fallbackSuggested: true,
    error: 'x402_not_available_for_token',
    message: 'A sentence.',
    paymentIntentId: INTENT_ID,
    accepts: [],
    regular: [],
  },
};
const AMOUNT = '12500000';
const INTENT_CODE = 4_711n;
const CALLS = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function pay(address token, uint64 intentCode, uint64 payoutId, uint256 amount)',
]);
/** The ways to pay with gas of the payer's own. */
const regularly: Answer = {
  status: 200,
  body: {
    paymentIntentId: INTENT_ID,
    paymentIntent: { id: INTENT_ID, status: 'requires_payment', intentCode: Number(INTENT_CODE) },
    regular: [
      {
        kind: 'evm_processor',
        network: 'eip155:8453',
        chainId: 8453,
        token: USDC,
        tokenShortcode: 'base_usdc',
        decimals: 6,
        amount: AMOUNT,
        payTo: PAY_TO,
        expiresAt: '2099-01-01T00:00:00.000Z',
        approve: {
          to: USDC,
          data: encodeFunctionData({ abi: CALLS, functionName: 'approve', args: [PAY_TO, BigInt(AMOUNT)] }),
          amount: AMOUNT,
          link: 'ethereum:x',
        },
        pay: {
          to: PAY_TO,
          data: encodeFunctionData({
            abi: CALLS,
            functionName: 'pay',
            args: [USDC, INTENT_CODE, 7n, BigInt(AMOUNT)],
          }),
        },
        link: 'ethereum:x',
      },
    ],
  },
};
const HASH = `0x7f3a91c2${'5e'.repeat(25)}b81d04`;
export const settled = (status: string, more: object = {}): Answer => ({
  status: 200,
  body: { status, paymentIntent: { id: INTENT_ID, status }, payment: null, transactionId: HASH, ...more },
});
export const stands = (status: string, metadata: object = {}): Answer => ({
  status: 200,
  body: {
    paymentIntentId: INTENT_ID,
    status,
    paymentIntent: { id: INTENT_ID, status, metadata },
    payment: status === 'completed' ? { transactionId: HASH } : null,
  },
});
export const confirmed: Answer = {
  status: 200,
  body: {
    ok: true,
    status: 'requires_payment',
    paymentIntent: { id: INTENT_ID },
    expiresAt: '2031-03-14T15:09:00.000Z',
  },
};
export const DOWN: Answer = 'broken';

/** How it answers from now on, by route. A function is asked each time. */
export type Answers = Record<Route, Answer | ((body: Record<string, unknown>) => Answer)>;

export type FakeService = {
  readonly answers: Answers;
  /** Bodies that were received, by route. */
  readonly asked: Readonly<Record<Route, Record<string, unknown>[]>>;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
};

export function fakeService(answers: Partial<Answers> = {}): FakeService {
  const own: Answers = {
    intent: offered(acceptance()),
    regular: regularly,
    settle: settled('succeeded'),
    confirm: confirmed,
    notify: stands('requires_payment'),
    // No stream: the SDK asks by itself.
    stream: { status: 404, body: {} },
    ...answers,
  };
  const asked: FakeService['asked'] = { intent: [], regular: [], settle: [], confirm: [], notify: [], stream: [] };
  return {
    answers: own,
    asked,
    async handle(request, response) {
      const route = routeOf(request.url ?? '');
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const body: Record<string, unknown> = text === '' ? {} : JSON.parse(text);
      asked[route].push(body);
      const told = own[route];
      const answer = typeof told === 'function' ? told(body) : told;
      if (answer === 'silence') return;
      if (answer === 'broken') request.socket.destroy();
      else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    },
  };
}

function routeOf(url: string): Route {
  if (url.endsWith('/intents/x402')) return 'intent';
  if (url.endsWith('/regular')) return 'regular';
  if (url.endsWith('/x402/settle')) return 'settle';
  if (url.endsWith('/upto/confirm')) return 'confirm';
  return url.endsWith('/notify') ? 'notify' : 'stream';
}
