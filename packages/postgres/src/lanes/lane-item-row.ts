// A settlement with what its payer signed and where its money goes, as one row.
import type { AuthorizationKind, LaneItem, Mode, SignedTransfer } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';

/** What is needed of `svc.settlements`. */
export const SETTLEMENT_COLUMNS = `
  account_id, mode, payment_id, intent_id, intent_code, claim_key, number, network, asset, cap, settled_amount, payout_id,
  batch_id, batch_limit`;

/** Of settlements `s`, joined by `ITEM_JOINS`. */
export const ITEM_COLUMNS = `
  s.account_id, s.mode, s.payment_id, s.intent_id, s.intent_code, s.number, s.asset, s.cap, s.settled_amount, s.payout_id,
  s.batch_limit, a.recipient, a.kind, a.by_contract, a.payer, a.valid_after, a.valid_before,
  encode(a.nonce, 'hex') as nonce, encode(a.signature, 'hex') as signature, p.merchant, p.fee_bps, p.splits,
  a.transfer, i.confirmations`;

/** Row by row and by key, whatever the planner thinks of the tables: `offset 0` keeps it from joining them otherwise. */
export const ITEM_JOINS = `
  cross join lateral (
    select * from svc.authorizations a
    where a.account_id = s.account_id and a.mode = s.mode and a.intent_id = s.intent_id and a.claim_key = s.claim_key
    offset 0
  ) a
  cross join lateral (
    select * from svc.payouts p
    where p.network = s.network and p.payout_id = s.payout_id
      -- Off EVM there is no processor: who gets the fee stands in its place.
      and p.processor = coalesce(a.transfer ->> 'feeRecipient', lower(a.recipient))
    offset 0
  ) p
  cross join lateral (
    select confirmations from svc.intents i where i.account_id = s.account_id and i.mode = s.mode and i.id = s.intent_id
    offset 0
  ) i`;

export type LaneItemRow = {
  readonly account_id: Id<'account'>;
  readonly mode: Mode;
  readonly payment_id: Id<'payment'>;
  readonly intent_id: Id<'paymentIntent'>;
  readonly intent_code: string;
  readonly number: string;
  readonly asset: string;
  readonly cap: string;
  readonly settled_amount: string;
  readonly payout_id: string;
  readonly batch_limit: number | null;
  readonly recipient: string;
  readonly kind: AuthorizationKind;
  readonly by_contract: boolean;
  readonly payer: string;
  readonly valid_after: string;
  readonly valid_before: string;
  readonly nonce: string;
  readonly signature: string;
  readonly merchant: string;
  readonly fee_bps: number;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
  readonly transfer: TransferColumn | null;
  readonly confirmations: number;
};

export type TransferColumn = Omit<SignedTransfer, 'lastValidBlockHeight' | 'slot'> & {
  readonly lastValidBlockHeight: string;
  readonly slot: string;
};

/** Whole numbers as text: JSON would round them. */
export function transferColumn(transfer: SignedTransfer | undefined): string | null {
  return transfer === undefined
    ? null
    : JSON.stringify(transfer, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

export function transferOf({ lastValidBlockHeight, slot, ...rest }: TransferColumn): SignedTransfer {
  return { ...rest, lastValidBlockHeight: BigInt(lastValidBlockHeight), slot: BigInt(slot) };
}

export function laneItemOf(row: LaneItemRow): LaneItem {
  return {
    accountId: row.account_id,
    mode: row.mode,
    paymentId: row.payment_id,
    intentId: row.intent_id,
    intentCode: BigInt(row.intent_code),
    number: BigInt(row.number),
    ...(row.batch_limit !== null && { batchLimit: row.batch_limit }),
    asset: row.asset,
    processor: row.recipient,
    kind: row.kind,
    byContract: row.by_contract,
    payer: row.payer,
    capAtomic: BigInt(row.cap),
    settledAtomic: BigInt(row.settled_amount),
    validAfterSeconds: BigInt(row.valid_after),
    validBeforeSeconds: BigInt(row.valid_before),
    nonce: `0x${row.nonce}`,
    signature: `0x${row.signature}`,
    payout: { id: BigInt(row.payout_id), merchant: row.merchant, feeBps: row.fee_bps, splits: row.splits },
    confirmations: row.confirmations,
    ...(row.transfer !== null && { transfer: transferOf(row.transfer) }),
  };
}
