// Rows that exist before money comes in on a token ledger: a payout, and an intent that may be paid there.
import { atomicAmount, parseRate } from '@svc-pay/money';
import { accountText, type Intent, type StoredAcceptance, TOKENS } from '../index.ts';
import type { MemoryIcrcPayout } from './memory-icrc-tables.ts';
import { seedIntent } from './memory-seed.ts';
import type { Tables } from './memory-tables.ts';

/** Text of an account of a made-up principal. */
export const sampleAccount = (seed: number, subaccount?: number): string =>
  accountText(
    Uint8Array.from({ length: 29 }, (_, index) => (index === 28 ? 2 : seed)),
    subaccount === undefined ? null : new Uint8Array(32).fill(subaccount),
  );

/** The intent asks for its amount at the payout, on the ledger of the local Internet Computer. */
export function seedLedgerIntent(tables: Tables, intent: Intent, payout: MemoryIcrcPayout): void {
  const token = TOKENS.find(({ network }) => network === payout.network);
  const { createdAtMs: observedAtMs, amount } = intent;
  const rate = token && parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs });
  if (token === undefined || rate?.ok !== true) throw new Error(`${payout.network} has no token`);
  seedIntent(tables, intent);
  const acceptance: StoredAcceptance = {
    position: 0,
    scheme: 'exact',
    network: payout.network,
    token,
    amount: atomicAmount(amount),
    maxTimeoutSeconds: 300,
    confirmations: 1,
    rate: rate.rate,
    minimumUsdMicros: null,
    priceEndsAtMs: null,
    payTo: payout.merchant,
    payoutId: payout.payoutId,
    shares: { merchant: payout.merchant, feeBps: 0, splits: [] },
  };
  tables.acceptances.set(intent.id, [acceptance]);
}
