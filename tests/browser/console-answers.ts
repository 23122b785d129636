// What the double of the console's server answers: one account with ten thousand payments, and one of everything else.
import { operatorsView, overviewOf } from './console-figures.ts';
import {
  ACCOUNT,
  ENDPOINT,
  idOf,
  indexOf,
  intent,
  intentIdAt,
  iso,
  MINUTE,
  NOW,
  payment,
  timeline,
  UPTO_INTENT,
  USDC,
  upto,
  WALLET,
} from './console-records.ts';

export type DoubleAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
};

export const ROWS = 10_000;
const OTHER_ACCOUNT = 'acct_01jc0000000000000000000001';
const ok = (body: unknown, headers?: Record<string, string>): DoubleAnswer => ({
  status: 200,
  body,
  ...(headers && { headers }),
});
function page<Item>(query: URLSearchParams, of: (index: number) => Item) {
  if (query.has('before')) return { data: [], hasMore: false, nextCursor: null, previousCursor: 'c0' };
  const start = Number.parseInt(query.get('after')?.slice(1) ?? '0', 10);
  const end = Math.min(start + Number.parseInt(query.get('limit') ?? '25', 10), ROWS);
  const data = Array.from({ length: end - start }, (_, index) => of(start + index));
  return { data, hasMore: end < ROWS, nextCursor: end < ROWS ? `c${end}` : null, previousCursor: `c${start}` };
}

const endpoint = {
  id: ENDPOINT,
  url: 'https://shop.example/webhooks/svc',
  eventTypes: ['payment.completed', 'payment.failed', 'payment.refunded'],
  retryCount: 10,
  timeoutSeconds: 5,
  headers: { 'x-shop': '***' },
  status: 'enabled',
  disabledReason: null,
  failingSince: null,
  disablesAt: null,
  previousSecretExpiresAt: null,
  createdAt: iso(NOW - 40 * 86_400_000),
  updatedAt: iso(NOW - 4 * 86_400_000),
  apiVersion: '2026-11-15',
  mode: 'test',
};
const failing = {
  ...endpoint,
  id: idOf('endpoint', 2),
  url: 'https://staging.shop.example/hook',
  failingSince: iso(NOW - 90 * MINUTE),
  disablesAt: iso(NOW + 4 * 86_400_000),
};

const delivery = (index: number) => ({
  eventId: idOf('event', index),
  endpointId: ENDPOINT,
  status: ['succeeded', 'succeeded', 'failed', 'pending'][index % 4],
  attemptCount: (index % 4) + 1,
  nextAt: index % 4 === 3 ? iso(NOW + 5 * MINUTE) : null,
  reason: index % 4 === 2 ? 'retries_exhausted' : null,
  createdAt: iso(NOW - index * 11 * MINUTE),
  finishedAt: null,
});

const attempt = (number: number, outcome: string, responseStatus: number) => ({
  attempt: number,
  outcome,
  responseStatus,
  address: '203.0.113.7',
  dnsMs: 2,
  connectMs: 11,
  tlsMs: 19,
  firstByteMs: 80,
  totalMs: 84,
  requestHeaders: { 'content-type': 'application/json', 'svc-signature': '***' },
  responseHeaders: { 'content-type': 'text/plain', server: 'shop' },
  responseExcerpt: responseStatus === 200 ? 'thanks' : 'Internal Server Error',
  error: null,
  startedAt: iso(NOW - (5 - number) * MINUTE),
  nextAt: null,
});

const emitted = (index: number) => ({
  id: idOf('event', index),
  type: ['payment.completed', 'payment.created', 'payment_intent.created', 'payment.failed'][index % 4],
  paymentIntentId: idOf('paymentIntent', 0),
  paymentId: idOf('payment', 0),
  sequence: index,
  createdAt: iso(NOW - index * 3 * MINUTE),
  pendingWebhooks: 0,
  event: {
    id: idOf('event', index),
    object: 'event',
    type: 'payment.completed',
    livemode: false,
    data: { object: payment(0) },
  },
});

const key = (index: number, more: object) => ({
  id: idOf('key', index),
  accountId: ACCOUNT,
  mode: 'test',
  kind: 'secret',
  hint: 'sk_test_…9xk2',
  publishableText: null,
  state: 'usable',
  signs: false,
  scopes: null,
  createdAtMs: NOW - 30 * 86_400_000,
  expiresAtMs: null,
  lastUsedAtMs: NOW - 3 * MINUTE,
  ...more,
});

const token = (shortcode: string, decimals: number) => ({
  tokenShortcode: shortcode,
  token: shortcode.split('_')[1]?.toUpperCase(),
  decimals,
  chain: 'eip155:8453',
  chainName: 'Base',
  network: 'evm',
  ledgerCanisterId: shortcode === 'base_usdc' ? USDC : WALLET,
  available: true,
  upto: true,
  minimumUsd: '0.01',
  error: null,
  message: null,
});

const HOUR = 60 * MINUTE;
const member = (personId: string, name: string, role: string, lastSeenAtMs: number | null) => ({
  personId,
  name,
  role,
  joinedAtMs: NOW - 90 * HOUR,
  lastSeenAtMs,
  disabled: false,
});
const session = (id: string, userAgent: string, address: string, current: boolean) => ({
  id,
  current,
  userAgent,
  address,
  createdAtMs: NOW - 3 * HOUR,
  lastSeenAtMs: NOW - MINUTE,
  expiresAtMs: NOW + 9 * HOUR,
});

const payout = (network: string, payoutId: string, change: object) => ({
  accountId: ACCOUNT,
  mode: 'test',
  network,
  processor: WALLET,
  payoutId,
  merchant: WALLET,
  feeBps: 0,
  splits: [],
  status: 'active',
  ...change,
});

const FIXED: Readonly<Record<string, unknown>> = {
  '/me': {
    person: { id: 'psn_01jc0000000000000000000000', name: 'Ada Example', operatorView: true },
    memberships: [
      { accountId: ACCOUNT, accountName: 'Tea and Verse', role: 'owner' },
      { accountId: OTHER_ACCOUNT, accountName: 'Harbor Books', role: 'viewer' },
    ],
    modes: ['test', 'live'],
    session: { id: 'cse_1', expiresAtMs: NOW + 11 * HOUR, freshUntilMs: NOW },
  },
  '/operator': operatorsView(),
  '/admin/keys': {
    keys: [
      key(1, { signs: true }),
      key(2, { scopes: ['read', 'refund'], hint: 'sk_test_…77ab', lastUsedAtMs: null }),
      key(3, { kind: 'publishable', publishableText: 'pk_test_51abcdefghijklmnopqrstuvwxyz9k', hint: 'pk_test_…yz9k' }),
      key(4, { state: 'revoked', hint: 'sk_test_…0old' }),
    ],
  },
  '/admin/payouts': {
    payouts: [
      payout('eip155:8453', '1', { feeBps: 100, splits: [{ to: USDC, bps: 250 }] }),
      payout('eip155:8453', '2', {
        direct: { asset: USDC, use: 'exclusive', activeFrom: new Date(NOW - HOUR).toISOString(), approver: 'operator' },
      }),
      payout('eip155:8453', '3', { status: 'disabled' }),
    ],
  },
  [`/admin/accounts/${ACCOUNT}`]: {
    publishable: [{ mode: 'test', origins: ['https://shop.example'], creates: true }],
    mismatch: [{ mode: 'test', toleranceUsdMicros: '0', toleranceBps: 0, over: 'refund', under: 'hold' }],
  },
  [`/accounts/${ACCOUNT}/people`]: {
    members: [
      member('psn_01jc0000000000000000000000', 'Ada Example', 'owner', NOW - MINUTE),
      member('psn_2', 'Ben Support', 'support', NOW - 50 * HOUR),
      member('psn_3', 'Cleo Builder', 'developer', null),
    ],
    invitations: [
      {
        id: 'inv_1',
        name: 'Dan Newcomer',
        role: 'viewer',
        createdBy: 'person:psn_1',
        createdAtMs: NOW,
        expiresAtMs: NOW + 70 * HOUR,
      },
    ],
  },
  '/passkeys': {
    passkeys: [
      {
        credentialId: 'one',
        name: 'Work laptop',
        transports: [],
        backedUp: true,
        createdAtMs: NOW - 90 * HOUR,
        lastUsedAtMs: NOW - MINUTE,
      },
      {
        credentialId: 'two',
        name: 'Security key',
        transports: [],
        backedUp: false,
        createdAtMs: NOW - HOUR,
        lastUsedAtMs: null,
      },
    ],
  },
  '/sessions': {
    sessions: [
      session('cse_1', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537', '203.0.113.9', true),
      session('cse_2', 'Mozilla/5.0 (iPhone) Safari/605', '198.51.100.4', false),
    ],
  },
};

const RELAYED: readonly (readonly [RegExp, (query: URLSearchParams, id: string) => DoubleAnswer])[] = [
  [/^\/sdk\/overview$/, (query) => ok(overviewOf(query))],
  [
    /^\/sdk\/public\/tokens$/,
    () => ok({ livemode: false, data: [token('base_usdc', 6), token('base_eurc', 6)], hasMore: false }),
  ],
  [
    /^\/sdk\/payments$/,
    (query) => {
      const of = query.get('intentId');
      if (of === null) return ok(page(query, (index) => ({ ...payment(index), paymentIntent: intent(index) })));
      return ok({
        data: of === UPTO_INTENT ? [] : [payment(indexOf(of))],
        hasMore: false,
        nextCursor: null,
        previousCursor: null,
      });
    },
  ],
  [
    /^\/sdk\/payment-intents$/,
    (query) => ok(page(query, (index) => intent(index, ['completed', 'requires_payment', 'canceled'][index % 3]))),
  ],
  [/^\/sdk\/payment-intents\/(\w+)\/timeline$/, (_, id) => ok(id === UPTO_INTENT ? upto() : timeline(id))],
  [
    /^\/sdk\/attempts$/,
    (query) =>
      ok(
        page(query, (index) => ({
          id: `att_${index}`,
          paymentIntentId: intentIdAt(index),
          code: ['insufficient_funds', 'invalid_signature', 'authorization_expired'][index % 3],
          message: 'As the error reference says it.',
          payer: index % 4 === 3 ? null : WALLET,
          createdAt: new Date(NOW - index * 7 * MINUTE).toISOString(),
        })),
      ),
  ],
  [/^\/sdk\/webhooks\/endpoints$/, () => ok({ data: [endpoint, failing], hasMore: false })],
  [
    /^\/sdk\/webhooks\/endpoints\/\w+\/deliveries$/,
    (query) => {
      const all = Array.from({ length: 20 }, (_, index) => delivery(index));
      const [status, limit] = [query.get('status'), Number(query.get('limit') ?? '25')];
      return ok({
        data: all.filter((one) => status === null || one.status === status).slice(0, limit),
        hasMore: status === null,
      });
    },
  ],
  [/^\/sdk\/webhooks\/endpoints\/(\w+)$/, (_, id) => ok({ endpoint: id === failing.id ? failing : endpoint })],
  [
    /^\/sdk\/events$/,
    () =>
      ok({
        data: Array.from({ length: 30 }, (_, index) => ({
          ...emitted(index),
          deliveries: {
            pending: index % 5 === 2 ? 1 : 0,
            succeeded: index % 5 === 2 ? 0 : 1,
            failed: index % 7 === 3 ? 1 : 0,
            discarded: 0,
          },
        })),
        hasMore: true,
      }),
  ],
  [
    /^\/sdk\/events\/\w+$/,
    () =>
      ok({
        ...emitted(0),
        deliveries: [{ ...delivery(0), attempts: [attempt(1, 'refused', 500), attempt(2, 'succeeded', 200)] }],
      }),
  ],
  [
    /^\/sdk\/exports\/payments$/,
    (query) =>
      ok(query.has('cursor') ? 'row\n' : 'head\nrow\n', {
        'x-svc-export-cursor': 'next',
        'x-svc-export-more': query.has('cursor') ? 'false' : 'true',
      }),
  ],
];

const CREATED = `/accounts/${ACCOUNT}/test/sdk/public/payments/intents/x402`;

export function answers(method: string, path: string, query: URLSearchParams): DoubleAnswer {
  if (method !== 'GET' && path === CREATED)
    return {
      status: 402,
      body: { paymentIntentId: intentIdAt(0) },
      headers: { 'x-svc-pay-url': 'https://pay.example/pay/pi_x?client_secret=cs' },
    };
  if (path === '/invitations/show')
    return ok({ kind: 'join', name: 'Dan Newcomer', accountName: 'Tea and Verse', role: 'support' });
  if (method !== 'GET') return ok({ ok: true });
  if (path in FIXED) return ok(FIXED[path]);
  const rest = /^\/accounts\/\w+\/(?:test|live)(\/.*)$/.exec(path)?.[1] ?? '';
  for (const [pattern, answer] of RELAYED) {
    const match = pattern.exec(rest);
    if (match !== null) return answer(query, match[1] ?? '');
  }
  return {
    status: 404,
    body: { error: 'not_found', message: 'There is nothing of that name.', requestId: 'req_double' },
  };
}
