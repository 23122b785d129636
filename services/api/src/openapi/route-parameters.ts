// Keys and parameters of a route, as the document states them.
import type { Route } from '../routes/route.ts';

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
  if (route.access === 'open') return [];
  if (route.access === 'secret') return [{ secretKey: [] }];
  return [{ publishableKey: [] }, ...(route.keyInQuery ? [{ publishableKeyInQuery: [] }] : [])];
}

const text = (name: string, place: string, description: string, schema: object = {}, required = false) => ({
  name,
  in: place,
  required,
  description,
  schema: { type: 'string', ...schema },
});

export function parametersOf(route: Route): readonly object[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    text(name, 'path', 'Id of the intent', { pattern: '^pi_[0-9a-hjkmnp-tv-z]{26}$' }, true),
  );
  if (route.access === 'open') return inPath;
  return [
    ...inPath,
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
    ...(route.operationId === 'streamIntent'
      ? [text('Last-Event-ID', 'header', 'Sent by EventSource when it connects again')]
      : []),
  ];
}
