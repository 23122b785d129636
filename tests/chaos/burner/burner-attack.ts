// The attack: the wallets in turn, each under the publishable key of its account, an intent and one settle call for it with a
// fresh nonce and a made-up signature. At a fixed rate, with a bound on how many requests are open.
import { setTimeout as sleep } from 'node:timers/promises';
import { signHeader } from '../../e2e/wallet.ts';
import { type BurnerWallet, FORGED_SIGNATURE } from './burner-wallets.ts';
import type { BurnerWorld } from './burner-world.ts';
import { createIntent, nonceOf, type PaymentAnswer, settleIntent } from './pay-intent.ts';

export type HostilePayment = {
  readonly wallet: BurnerWallet;
  readonly intentId: string | undefined;
  readonly nonce: string | undefined;
  readonly answer: PaymentAnswer;
};

export type BurnerAttack = {
  readonly run: (seconds: number) => Promise<void>;
  readonly started: () => number;
  /** Payments that were due and not begun, because too many were open. */
  readonly skipped: () => number;
  readonly ended: () => Promise<readonly HostilePayment[]>;
};

/** A settle call waits up to four seconds for the end of its payment. */
const SECONDS_OPEN = 6;

export function createBurnerAttack(world: BurnerWorld, perSecond: number): BurnerAttack {
  const { burners, shops, apiUrl } = world;
  const started: Promise<HostilePayment>[] = [];
  let open = 0;
  let skipped = 0;
  const attempt = async (index: number): Promise<HostilePayment> => {
    const wallet = burners[index % burners.length];
    // Both kinds of wallet at every account.
    const shop = shops[Math.floor((index % burners.length) / 2) % shops.length];
    if (wallet === undefined || shop === undefined) throw new Error('there are no wallets or no accounts');
    const intent = await createIntent(apiUrl, shop);
    if ('status' in intent) return { wallet, intentId: undefined, nonce: undefined, answer: intent };
    const forger = { address: wallet.address, signTypedData: () => Promise.resolve(FORGED_SIGNATURE) };
    const header = await signHeader({ address: wallet.address, signer: forger }, intent.acceptance);
    const answer = await settleIntent(apiUrl, shop, intent, header);
    return { wallet, intentId: intent.intentId, nonce: nonceOf(header), answer };
  };
  return {
    run: async (seconds) => {
      const beganMs = performance.now();
      for (let index = 0; index < seconds * perSecond; index += 1) {
        await sleep(Math.max(0, beganMs + (index * 1_000) / perSecond - performance.now()));
        if (open >= perSecond * SECONDS_OPEN) {
          skipped += 1;
          continue;
        }
        open += 1;
        started.push(attempt(index).finally(() => (open -= 1)));
      }
    },
    started: () => started.length,
    skipped: () => skipped,
    ended: () => Promise.all(started),
  };
}
