// Reads a settlement with its authorization, its payout and its intent's confirmations as one row: a lane item.
import type { AuthorizationKind, LaneItem, Mode, SignedTransfer } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import { NOT_MERGED } from '../database/planner.ts';
import { type DirectColumns, readDirect } from '../payout/direct-columns.ts';
import { PAYOUT_WITHDRAWN } from '../payout/withdrawn.ts';

/** Columns of `svc.settlements` that `ITEM_COLUMNS` and `ITEM_JOINS` need. */
export const SETTLEMENT_COLUMNS = `
  account_id, mode, payment_id, intent_id, intent_code, claim_key, number, network, asset, cap, settled_amount, payout_id,
  batch_id, batch_limit, solo_payer`;

/**
 * Columns of settlements `s` joined by `ITEM_JOINS`. A payout of another account counts as withdrawn: whoever can write
 * settlements must not choose who is paid.
 */
export const ITEM_COLUMNS = `
  s.account_id, s.mode, s.payment_id, s.intent_id, s.intent_code, s.number, s.asset, s.cap, s.settled_amount, s.payout_id,
  s.batch_limit, s.solo_payer is not null as solo, a.recipient, a.kind, a.by_contract,
  encode(a.code_hash, 'hex') as code_hash, a.payer, a.valid_after, a.valid_before,
  encode(a.nonce, 'hex') as nonce, encode(a.signature, 'hex') as signature, p.merchant, p.fee_bps, p.splits,
  (${PAYOUT_WITHDRAWN('p')} or p.account_id <> s.account_id or p.mode <> s.mode) as payout_withdrawn, p.kind as payout_kind, p.activation, a.direct,
  a.transfer, i.confirmations`;

/** Looks up authorization, payout and intent by key, once for each settlement `s`. */
export const ITEM_JOINS = `
  cross join lateral (
    select * from svc.authorizations a
    where a.account_id = s.account_id and a.mode = s.mode and a.intent_id = s.intent_id and a.claim_key = s.claim_key
    ${NOT_MERGED}
  ) a
  cross join lateral (
    select * from svc.payouts p
    where p.network = s.network and p.payout_id = s.payout_id
      -- Solana payouts have no processor address; the column holds the fee recipient instead.
      and p.processor = coalesce(a.transfer ->> 'feeRecipient', lower(a.recipient))
    ${NOT_MERGED}
  ) p
  cross join lateral (
    select confirmations from svc.intents i where i.account_id = s.account_id and i.mode = s.mode and i.id = s.intent_id
    ${NOT_MERGED}
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
  readonly solo: boolean;
  readonly recipient: string;
  readonly kind: AuthorizationKind;
  readonly by_contract: boolean;
  readonly code_hash: string | null;
  readonly payer: string;
  readonly valid_after: string;
  readonly valid_before: string;
  readonly nonce: string;
  readonly signature: string;
  readonly merchant: string;
  readonly fee_bps: number;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
  readonly payout_withdrawn: boolean;
  readonly payout_kind: DirectColumns['kind'];
  readonly activation: unknown;
  /** The payer signed to the merchant's wallet. */
  readonly direct: boolean;
  readonly transfer: TransferColumn | null;
  readonly confirmations: number;
};

export type TransferColumn = Omit<SignedTransfer, 'lastValidBlockHeight' | 'slot'> & {
  readonly lastValidBlockHeight: string;
  readonly slot: string;
};

/** Stores bigint values as text: JSON numbers would be rounded. */
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
    ...(row.solo && { solo: row.solo }),
    asset: row.asset,
    processor: row.recipient,
    kind: row.kind,
    byContract: row.by_contract,
    ...(row.code_hash !== null && { codeHash: `0x${row.code_hash}` }),
    payer: row.payer,
    capAtomic: BigInt(row.cap),
    settledAtomic: BigInt(row.settled_amount),
    validAfterSeconds: BigInt(row.valid_after),
    validBeforeSeconds: BigInt(row.valid_before),
    nonce: `0x${row.nonce}`,
    signature: `0x${row.signature}`,
    payout: {
      id: BigInt(row.payout_id),
      merchant: row.merchant,
      feeBps: row.fee_bps,
      splits: row.splits,
      ...payoutStateOf(row),
    },
    confirmations: row.confirmations,
    ...(row.transfer !== null && { transfer: transferOf(row.transfer) }),
  };
}

/** A payout of the other kind than the authorization's was changed since the claim: nothing is sent through it. */
function payoutStateOf(row: LaneItemRow): Pick<LaneItem['payout'], 'withdrawn' | 'direct'> {
  const { direct, unreadable } = readDirect({ kind: row.payout_kind, activation: row.activation });
  const withdrawn = row.payout_withdrawn || unreadable === true || row.direct !== (direct !== undefined);
  return { ...(direct && { direct }), ...(withdrawn && { withdrawn }) };
}
