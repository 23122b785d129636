import type { Paint } from '../output/paint.ts';
import type { World } from './start-world.ts';

/** What a new engineer needs: where it is, what opens it, and a command to paste. */
export function banner(
  { baseUrl, account, logFile }: Pick<World, 'baseUrl' | 'account' | 'logFile'>,
  paint: Paint,
): string {
  const line = (name: string, value: string) => `  ${name.padEnd(16)} ${paint.bold(value)}`;
  return [
    'SVC Pay is running, in test mode and on this machine only.',
    '',
    line('base URL', baseUrl),
    line('publishable key', account.publishableKey),
    line('secret key', account.secretKey),
    line('account', account.id),
    line('log', logFile),
    '',
    'Ask for a payment; the answer is 402 with what can be paid:',
    '',
    curl(baseUrl, account.publishableKey),
    '',
    'Ctrl-C stops it; what was made stays. `npm run dev -- --fresh` forgets it.',
  ].join('\n');
}

export function curl(baseUrl: string, publishableKey: string): string {
  return [
    `curl -i ${baseUrl}/sdk/public/payments/intents/x402 \\`,
    `  -H 'authorization: Bearer ${publishableKey}' \\`,
    "  -H 'content-type: application/json' \\",
    `  -d '{"usdAmount": 12.50, "tokenShortcode": "basesepolia_usdc"}'`,
  ].join('\n');
}
