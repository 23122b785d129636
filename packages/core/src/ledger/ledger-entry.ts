// One line of the books. Money that reaches an account is positive, money that leaves it negative; per payment and asset
// the lines sum to zero. A line is never changed: what a reorganisation took back is booked again with the other sign.
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId, type RandomBytes } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';

export const LEDGER_ACCOUNTS = [
  'payer',
  'merchant',
  'split',
  'platform_fee',
  'refund',
  'network_cost',
  'stranded',
  'escrow',
] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];

/** The chain's own coin, which has no address: a word that no chain takes for one. */
export const NATIVE_ASSET = 'native';

/** Who receives what the relayer pays for gas. */
export const NETWORK_PARTY = 'network';

export type LedgerEntry = {
  readonly id: Id<'ledgerEntry'>;
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  readonly network: NetworkId;
  /** A token as its payment spells it, or `NATIVE_ASSET`. */
  readonly asset: string;
  readonly accountName: LedgerAccount;
  /** Whose account; hex addresses in lower case. */
  readonly party: string;
  /** Never zero. */
  readonly amountAtomic: bigint;
  readonly transactionId: string;
  readonly logIndex: number;
  /** The entry that this one takes back. */
  readonly reverses: Id<'ledgerEntry'> | null;
  readonly createdAtMs: number;
};

export type Booking = { readonly nowMs: number; readonly randomBytes?: RandomBytes };

export function newEntryId({ nowMs, randomBytes }: Booking): Id<'ledgerEntry'> {
  return newId('ledgerEntry', nowMs, randomBytes);
}

/** Takes entries back, each by its own opposite at the same place of the chain. Both together are nothing. */
export function reverseEntries(entries: readonly LedgerEntry[], booking: Booking): readonly LedgerEntry[] {
  return entries.map((entry) => {
    if (entry.reverses !== null)
      throw new Error(`${entry.id} takes back ${entry.reverses} and is not taken back itself`);
    return {
      ...entry,
      id: newEntryId(booking),
      amountAtomic: -entry.amountAtomic,
      reverses: entry.id,
      createdAtMs: booking.nowMs,
    };
  });
}
