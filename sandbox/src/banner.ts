import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { secretKeyFileOf } from './local/secrets.ts';
import type { Sandbox } from './start-sandbox.ts';
import { envFileOf } from './write-env-file.ts';

/** Text for a first visitor: URLs to open first, then keys and folders. */
export function banner(sandbox: Sandbox, secondsToReady: string, paint: Paint): string {
  const { world, shopUrl, timelineUrl, consoleUrl, wallet, facts } = sandbox;
  const { account, chain, baseUrl, folder } = world;
  const line = (name: string, value: string) => `  ${name.padEnd(16)} ${paint.bold(value)}`;
  return [
    '',
    `The sandbox is ready after ${secondsToReady} s, on this machine only. All money in it is play money.`,
    '',
    line('shop', `${shopUrl}/`),
    line('timeline', `${timelineUrl}/`),
    line('console', `${consoleUrl}, signed in`),
    '',
    line('API', `${baseUrl}, reference at ${baseUrl}/reference`),
    line('publishable key', account.publishableKey),
    line('secret key', account.secretKey),
    line('account', account.id),
    line('chain', `${chain.rpcUrl}, id ${chain.chainId}, ${chain.keys.relayers.length} lanes`),
    line('processor', chain.record.processor),
    ...(world.merchantWallet === undefined ? [] : [line('shop’s wallet', world.merchantWallet)]),
    line('anvil_usdc', chain.tokens.usdc),
    line('wallet', wallet.account.address),
    line('wallet’s key', wallet.privateKey),
    ...(facts.solana === null ? [] : [line('Solana', facts.solana.rpcUrl), line('wallet there', facts.solana.address)]),
    ...(facts.icp === null
      ? []
      : [line('Internet Computer', facts.icp.url), line('wallet there', facts.icp.principal)]),
    line('logs', folder),
    '',
    `For programs of your own: node --env-file=${envFileOf(folder)} …`,
    `For npm run svc: SVC_SECRET_KEY_FILE=${secretKeyFileOf(folder)} SVC_API_URL=${baseUrl}`,
    'Ctrl-C stops it; what was made stays. `npm run sandbox -- --fresh` forgets it.',
    '',
  ].join('\n');
}

/** Same content for programs, as JSON. */
export function documentOf({ world, shopUrl, timelineUrl, consoleUrl, wallet }: Sandbox): object {
  const { account, chain, baseUrl, folder } = world;
  return {
    shopUrl,
    timelineUrl,
    consoleUrl,
    baseUrl,
    account,
    chain: {
      rpcUrl: chain.rpcUrl,
      network: chain.network,
      processor: chain.record.processor,
      tokens: { anvil_usdc: chain.tokens.usdc },
    },
    wallet: { address: wallet.account.address, privateKey: wallet.privateKey },
    folder,
  };
}
