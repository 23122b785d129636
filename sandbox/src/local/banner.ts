import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { secretKeyFileOf } from './secrets.ts';
import type { LocalWorld } from './start-world.ts';

type Shown = Pick<LocalWorld, 'baseUrl' | 'account' | 'chain' | 'solana' | 'icp' | 'folder'>;

/** Text for a new engineer: the URL, the keys, and a command to paste. */
export function banner(shown: Shown, settles: boolean, paint: Paint): string {
  const { baseUrl, account, chain, solana, icp, folder } = shown;
  const line = (name: string, value: string) => `  ${name.padEnd(16)} ${paint.bold(value)}`;
  return [
    `SVC Pay is running, in test mode and on this machine only${settles ? '' : '; nothing settles'}.`,
    '',
    line('base URL', baseUrl),
    line('publishable key', account.publishableKey),
    line('secret key', account.secretKey),
    line('account', account.id),
    line('chain', `${chain.rpcUrl}, id ${chain.chainId}, a block every second`),
    line('processor', chain.record.processor),
    line('anvil_usdc', `${chain.tokens.usdc}, anyone may mint`),
    line('anvil_vol', `${chain.tokens.vol}, anyone may mint; always 2.50 USD`),
    ...(solana === undefined ? [] : [line('Solana', `${solana.rpcUrl}, soldevnet_usdc; new at every start`)]),
    ...(icp === undefined ? [] : [line('Internet Computer', `${icp.url}, iclocal_ckusdc; new at every start`)]),
    line('logs', folder),
    '',
    'Ask for a payment; the answer is 402 with what can be paid:',
    '',
    curl(baseUrl, account.publishableKey),
    '',
    'Hear of it on your own receiver (docs/integrate/first-webhook.md):',
    '',
    `SVC_SECRET_KEY_FILE=${secretKeyFileOf(folder)} SVC_API_URL=${baseUrl} \\`,
    '  npm run svc -- listen --forward-to http://127.0.0.1:3000/',
    '',
    'Ctrl-C stops it; what was made stays. `npm run dev -- --fresh` forgets it.',
  ].join('\n');
}

/** Same content for programs, as JSON. */
export function documentOf({ baseUrl, account, chain, solana, icp, folder }: Shown): object {
  return {
    baseUrl,
    account,
    chain: {
      rpcUrl: chain.rpcUrl,
      network: chain.network,
      processor: chain.record.processor,
      tokens: { anvil_usdc: chain.tokens.usdc, anvil_vol: chain.tokens.vol },
    },
    ...(icp && { icp: { url: icp.url, network: icp.network, ledger: icp.ledger } }),
    ...(solana && { solana: { rpcUrl: solana.rpcUrl, network: solana.network, usdc: solana.usdc } }),
    folder,
    curl: curl(baseUrl, account.publishableKey),
  };
}

export function curl(baseUrl: string, publishableKey: string): string {
  return [
    `curl -i ${baseUrl}/sdk/public/payments/intents/x402 \\`,
    `  -H 'authorization: Bearer ${publishableKey}' \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '{"usdAmount": 12.50, "tokenShortcode": "anvil_usdc"}'`,
  ].join('\n');
}
