import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Sandbox } from './start-sandbox.ts';

/** File for `node --env-file` with everything that a program of the reader needs. */
export const envFileOf = (folder: string): string => path.join(folder, 'env');

/** Spending limit of the example agent per payment: five test USDC. */
const MAX_AMOUNT_ATOMIC = '5000000';

export function writeEnvFile({ world, wallet }: Sandbox): void {
  const { account, baseUrl, chain, folder } = world;
  const values = {
    BASE_URL: baseUrl,
    PUBLISHABLE_KEY: account.publishableKey,
    SECRET_KEY: account.secretKey,
    ACCOUNT_ID: account.id,
    RPC_URL: chain.rpcUrl,
    TOKEN: chain.tokens.usdc,
    PAYER_KEY: wallet.privateKey,
    MAX_AMOUNT: MAX_AMOUNT_ATOMIC,
  };
  const text = Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
  writeFileSync(envFileOf(folder), text, { mode: 0o600 });
}
