// A ledger entry. Money that reaches an account is positive, money that leaves it negative; per payment and asset the
// entries sum to zero. An entry is never changed: after a reorg it is reversed by an entry with the opposite sign.
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

/** The chain's own coin, which has no address: a value that is no address on any chain. */
export const NATIVE_ASSET = 'native';

/** Party that receives what the relayer pays for gas. */
export const NETWORK_PARTY = 'network';

export type LedgerEntry = {
  readonly id: Id<'ledgerEntry'>;
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  readonly network: NetworkId;
  /** The token address as in the payment, or `NATIVE_ASSET`. */
  readonly asset: string;
  readonly accountName: LedgerAccount;
  /** Owner of the account; hex addresses in lower case. */
  readonly party: string;
  /** Never zero. */
  readonly amountAtomic: bigint;
  readonly transactionId: string;
  readonly logIndex: number;
  /** The entry that this one reverses. */
  readonly reverses: Id<'ledgerEntry'> | null;
  readonly createdAtMs: number;
};

export type Booking = { readonly nowMs: number; readonly randomBytes?: RandomBytes };

export function newEntryId({ nowMs, randomBytes }: Booking): Id<'ledgerEntry'> {
  return newId('ledgerEntry', nowMs, randomBytes);
}

/** Reverses entries, each by its opposite at the same log position. Entry and reversal sum to zero. */
export function reverseEntries(entries: readonly LedgerEntry[], booking: Booking): readonly LedgerEntry[] {
  return entries.map((entry) => {
    if (entry.reverses !== null)
      throw new Error(`ledger entry ${entry.id} reverses ${entry.reverses}: a reversal can't be reversed`);
    return {
      ...entry,
      id: newEntryId(booking),
      amountAtomic: -entry.amountAtomic,
      reverses: entry.id,
      createdAtMs: booking.nowMs,
    };
  });
}
