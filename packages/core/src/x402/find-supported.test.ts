import { expect, test } from 'vitest';
import type { Caller } from '../account/authenticate.ts';
import { sampleFamily } from '../testing/sample-family.ts';
import { sampleIntent } from '../testing/samples.ts';
import { TOKENS } from '../token/catalogue.ts';
import { findChain } from '../token/chain.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { findSupported } from './find-supported.ts';

const PROCESSOR = `0x${'9c'.repeat(20)}`;

/** Everything is ready for the token: whether a seller can be paid in it depends on the token alone. */
async function tokensListed(token: TokenEntry): Promise<unknown[]> {
  const { network, shortcode } = token;
  const caller = { ...sampleIntent(), kind: 'secret', mode: findChain(network)?.mode } as unknown as Caller;
  const payout = { network, payoutId: 1n, processor: PROCESSOR, merchant: PROCESSOR, feeBps: 0, splits: [] };
  const { kinds } = await findSupported(
    {
      clock: { nowMs: () => 0 },
      families: [sampleFamily()],
      networks: new Map([[network, { processor: PROCESSOR, ready: true }]]),
      loadMerchant: async () => ({
        enabledTokens: new Set([shortcode]),
        payouts: [payout],
        uptoDefaultTimeoutSeconds: 1,
        uptoMaxTimeoutSeconds: 1,
        minimumUsdMicros: null,
        takesProcessor: true,
      }),
    },
    caller,
  );
  return kinds.flatMap(({ extra }) => ((extra?.['tokens'] ?? []) as { asset: string }[]).map(({ asset }) => asset));
}

test.each(TOKENS.filter(({ price }) => price === 'fixed').map((token) => [token.shortcode, token] as const))(
  'a seller is told of %s only if stock clients sign it',
  async (_, token) => {
    const listed = await tokensListed(token);
    if (token.signing === 'TransferWithAuthorization') expect(listed).toContain(token.address);
    else expect(listed).toEqual([]);
  },
);
