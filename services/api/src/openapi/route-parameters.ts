// Security and parameters of a route, in OpenAPI form.
import * as z from 'zod/mini';
import { isKeyed, type Route } from '../routes/route.ts';
import { EXAMPLE_IDS } from './texts/field-text.ts';
import { IN_QUERY, PATH_IDS } from './texts/parameter-texts.ts';

export const SECURITY_SCHEMES = {
  publishableKey: { type: 'http', scheme: 'bearer', description: 'A publishable key, `pk_…`; secret keys work too.' },
  secretKey: { type: 'http', scheme: 'bearer', description: 'A secret key, `sk_…`; never in a browser.' },
  clientSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'The client secret of the one intent that the request names.',
  },
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
  return [
    { publishableKey: scopes },
    ...(route.takesClientSecret ? [{ clientSecret: [] }] : []),
    ...(route.keyInQuery ? [{ publishableKeyInQuery: scopes }] : []),
  ];
}

type Parameter = { readonly name: string; readonly description: string; readonly example: string };

const parameter = (
  place: string,
  { name, description, example }: Parameter,
  schema: object = {},
  required = false,
) => ({
  name,
  in: place,
  required,
  description,
  schema: { type: 'string', ...schema },
  // A copied request works as it stands: the renderer leaves out what is disabled.
  examples: { example: { value: example, ...(!required && { 'x-disabled': true }) } },
});

function idInPath(name: string): object {
  const [what = '', example = ''] = PATH_IDS[name] ?? [];
  const prefix = example.replace(/_.*$/, '');
  const pattern = `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`;
  return parameter('path', { name, description: what && `Id of the ${what}`, example }, { pattern }, true);
}

function inQuery(operationId: string, query: z.ZodMiniObject): readonly object[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => {
    const [description = '', example = ''] = IN_QUERY[`${operationId}.${name}`] ?? IN_QUERY[name] ?? [];
    return parameter('query', { name, description, example }, schema as object, required.includes(name));
  });
}

const PAYMENT_HEADER = 'The payment of a published x402 client; at most one of its headers';

const HEADERS = {
  account: { name: 'x-account-id', example: EXAMPLE_IDS.account },
  idempotency: {
    name: 'Idempotency-Key',
    description: 'Visible ASCII. The same key and body answer the first answer again, with `Idempotent-Replayed: true`',
    example: 'order-1234',
  },
  lastEvent: { name: 'Last-Event-ID', description: 'Sent by EventSource when it connects again', example: '3' },
} as const;
const paymentHeader = (name: string) =>
  parameter('header', { name, description: PAYMENT_HEADER, example: 'eyJ4NDAyVmVyc2lvbiI6Mn0=' });
const SECRET_IN_QUERY = {
  name: 'client_secret',
  description: 'The secret in the address',
  example: 'of X-SVC-Pay-Url',
};

const TOKEN_IN_QUERY = {
  name: 'token',
  description: 'The token in the address, by its shortcode',
  example: 'soldevnet_usdc',
};

export function parametersOf(route: Route): readonly object[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => idInPath(name));
  if (route.access === 'client_secret')
    return [
      ...inPath,
      parameter('query', SECRET_IN_QUERY, {}, true),
      ...(route.forWallets
        ? [parameter('query', TOKEN_IN_QUERY, {}, true)]
        : ['PAYMENT-SIGNATURE', 'X-PAYMENT'].map(paymentHeader)),
    ];
  if (!isKeyed(route)) return inPath;
  return [
    ...inPath,
    ...(route.query === undefined ? [] : inQuery(route.operationId, route.query)),
    route.accountRequired
      ? parameter('header', { ...HEADERS.account, description: 'The account of the key' }, {}, true)
      : parameter('header', { ...HEADERS.account, description: 'Must be the account of the key when it is sent' }),
    ...(route.method === 'POST' ? [parameter('header', HEADERS.idempotency, { minLength: 1, maxLength: 255 })] : []),
    ...(route.whenPaid ? [paymentHeader('PAYMENT-SIGNATURE')] : []),
    ...(route.operationId === 'streamIntent' ? [parameter('header', HEADERS.lastEvent)] : []),
  ];
}
