// Chapters of the reference, in their order. A route belongs to the first whose pattern its path matches.

type Tag = { readonly name: string; readonly description: string };

const TAGS_BY_PATH: readonly (Tag & { readonly path: RegExp })[] = [
  {
    name: 'Payment intents',
    path: /^\/sdk\/(?:public\/)?(?:payments\/intents|payment-intents)(?!.*\/upto\/)/,
    description: 'What a payer is asked for, and how it stands. Your server creates it, the page pays it.',
  },
  {
    name: 'Refunds',
    path: /^\/sdk\/(?:refunds|payments\/\{paymentId\}\/refunds)/,
    description: 'What your wallet signs to give a payment back, and how it stands.',
  },
  {
    name: 'Payments',
    path: /^\/sdk\/(?:public\/payments\/(?:x402\/settle|notify)|payments(?!\/x402)|attempts$|exports|statement|overview)/,
    description: 'A signed header becomes a payment.',
  },
  { name: 'Tokens', path: /^\/sdk\/public\/tokens$/, description: 'What your account takes.' },
  {
    name: 'Up-to payments',
    path: /\/upto\//,
    description: 'The payer signs a cap, and your server charges what was used.',
  },
  {
    name: 'Solana',
    path: /^\/(?:sdk\/public\/payments\/x402\/(?:prepare|signable|relay)$|pay\/solana\/)/,
    description: 'What a Solana wallet signs, and how it is sent.',
  },
  {
    name: 'Stock x402',
    path: /^\/(?:pay|x402)\//,
    description: 'For published x402 clients, middleware and facilitator libraries.',
  },
  {
    name: 'Webhook endpoints',
    path: /^\/sdk\/webhooks/,
    description: 'Where events are delivered. A webhook ships the goods.',
  },
  { name: 'Events', path: /^\/sdk\/events/, description: 'What happened, and what became of each delivery.' },
  {
    name: 'Service',
    path: /^\/(?:$|health$|ready$|openapi\.json$|reference)/,
    description: 'The service about itself.',
  },
];

export const WEBHOOK_TAG: Tag = { name: 'Webhooks', description: 'What is posted to your endpoints.' };

export const TAGS: readonly Tag[] = [
  ...TAGS_BY_PATH.map(({ name, description }) => ({ name, description })),
  WEBHOOK_TAG,
];

export const tagOf = (path: string): string | undefined => TAGS_BY_PATH.find((tag) => tag.path.test(path))?.name;

/** Renderers show chapters in the order of their first path. */
export function inChapters<Of extends { readonly path: string }>(routes: readonly Of[]): readonly Of[] {
  const placeOf = ({ path }: Of) => TAGS_BY_PATH.findIndex((tag) => tag.path.test(path));
  return routes.toSorted((one, other) => placeOf(one) - placeOf(other));
}
