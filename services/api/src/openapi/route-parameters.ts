// Security and parameters of a route, in OpenAPI form.
import * as z from 'zod/mini';
import { isKeyed, type Route } from '../routes/route.ts';

export const SECURITY_SCHEMES = {
  publishableKey: { type: 'http', scheme: 'bearer', description: 'A publishable key, `pk_…`; secret keys work too.' },
  secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_…`; never in a browser.' },
  publishableKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'publishableKey',
    description: 'For clients that cannot set headers, such as EventSource.',
  },
} as const;

export function securityOf(route: Route): readonly Readonly<Record<string, readonly string[]>>[] {
  if (!isKeyed(route)) return [];
  // OpenAPI 3.1 lets a bearer key name the scopes that it needs.
  const scopes = [route.scope];
  if (route.access === 'secret') return [{ secretKey: scopes }];
  return [{ publishableKey: scopes }, ...(route.keyInQuery ? [{ publishableKeyInQuery: scopes }] : [])];
}

const text = (name: string, place: string, description: string, schema: object = {}, required = false) => ({
  name,
  in: place,
  required,
  description,
  schema: { type: 'string', ...schema },
});

const PATH_IDS: Readonly<Record<string, readonly [what: string, prefix: string]>> = {
  intentId: ['intent', 'pi'],
  endpointId: ['endpoint', 'we'],
  eventId: ['event', 'evt'],
  recoveryId: ['recovery', 'rec'],
};

function idInPath(name: string): object {
  const [what, prefix] = PATH_IDS[name] ?? [];
  if (what === undefined) throw new Error(`no description of {${name}}`);
  return text(name, 'path', `Id of the ${what}`, { pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$` }, true);
}

const IN_QUERY: Readonly<Record<string, string>> = {
  limit: 'Most items of the answer, 1 to 100; 25 unless told',
  startingAfter: 'Id of the last item of the page before; deliveries go by their event',
  status: 'Only those with this status',
  type: 'Only events of this type',
  intentId: 'Only events of this intent',
  paymentId: 'Only events of this payment',
  createdAfter: 'Only events of this time or later',
  createdBefore: 'Only events before this time',
  undelivered: '`true`: only events that some endpoint has not got yet, or was given up on',
};

function inQuery(query: z.ZodMiniObject): readonly object[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => {
    const description = IN_QUERY[name];
    if (description === undefined) throw new Error(`no description of ?${name}`);
    return text(name, 'query', description, schema as object);
  });
}

const PAYMENT_HEADER = 'The payment of a published x402 client; at most one of its headers';

export function parametersOf(route: Route): readonly object[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => idInPath(name));
  if (route.access === 'client_secret')
    return [
      ...inPath,
      text('client_secret', 'query', 'The secret in the address', {}, true),
      ...['PAYMENT-SIGNATURE', 'X-PAYMENT'].map((name) => text(name, 'header', PAYMENT_HEADER)),
    ];
  if (!isKeyed(route)) return inPath;
  return [
    ...inPath,
    ...(route.query === undefined ? [] : inQuery(route.query)),
    route.accountRequired
      ? text('x-account-id', 'header', 'The account of the key', {}, true)
      : text('x-account-id', 'header', 'Must be the account of the key when it is sent'),
    ...(route.method === 'POST'
      ? [
          text(
            'Idempotency-Key',
            'header',
            'Visible ASCII. The same key and body answer the first answer again, with `Idempotent-Replayed: true`',
            { minLength: 1, maxLength: 255 },
          ),
        ]
      : []),
    ...(route.whenPaid ? [text('PAYMENT-SIGNATURE', 'header', PAYMENT_HEADER)] : []),
    ...(route.operationId === 'streamIntent'
      ? [text('Last-Event-ID', 'header', 'Sent by EventSource when it connects again')]
      : []),
  ];
}
