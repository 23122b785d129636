// An up-to intent with its latest payment and the authorization it is settled with, in one statement.
import type { Caller, SentAuthorization, StoredAuthorization, UptoRead } from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type IntentRow, intentOf } from './load-intent.ts';
import { authorizationValues, type ProgressRow, paymentStep, progressOf } from './load-settlement.ts';

export type StoredRow = {
  readonly network: NetworkId;
  readonly asset: string;
  readonly recipient: string;
  readonly cap: string;
  readonly valid_before: string;
  readonly closed: boolean;
};

/** The newest authorization of an intent as JSON, for `storedOf`; `signed` is its row. */
// Closed, or used around us: then its money lies at the processor, and is still the merchant's to settle.
export const STORED_JSON = `json_build_object(
        'network', signed.network, 'asset', signed.asset, 'recipient', signed.recipient, 'cap', signed.cap::text,
        'valid_before', signed.valid_before::text, 'closed', signed.closed_at is not null and not exists (
          select from svc.recoveries stranded
          where stranded.account_id = signed.account_id and stranded.mode = signed.mode
            and stranded.claim_key = signed.claim_key and stranded.deed = 'hold'
        )
      )`;

const LOAD_UPTO = {
  name: 'load-upto',
  text: `
    select intent.*, signed.payer as confirmed_payer, step.progress as latest, signed.stored, signed.sent
    from svc.intents intent
    ${paymentStep('intent.payment_id')}
    left join lateral (
      select signed.payer, ${STORED_JSON} as stored,
        signed.payer = $4 and signed.nonce = $5 and signed.network = $6 and lower(signed.recipient) = $7
          and signed.cap = $8 and signed.valid_after = $9 and signed.valid_before = $10 as sent
      from svc.authorizations signed
      where signed.account_id = $1 and signed.mode = $2 and signed.intent_id = $3
      order by signed.created_at desc limit 1
    ) signed on intent.x402_upto
    where intent.account_id = $1 and intent.mode = $2 and intent.id = $3`,
};

type Row = IntentRow & {
  readonly latest: ProgressRow | null;
  readonly stored: StoredRow | null;
  readonly sent: boolean | null;
};

export async function loadUpto(
  pool: pg.Pool,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
  authorization: SentAuthorization | null,
): Promise<UptoRead | undefined> {
  const { rows } = await pool.query<Row>({
    ...LOAD_UPTO,
    values: [accountId, mode, intentId, ...authorizationValues(authorization)],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    intent: intentOf(row),
    latest: row.latest && progressOf(row.latest),
    stored: row.stored && storedOf(row.stored),
    sentIsStored: row.sent ?? false,
  };
}

export function storedOf(row: StoredRow): StoredAuthorization {
  return {
    network: row.network,
    asset: row.asset,
    recipient: row.recipient,
    cap: atomicAmount(BigInt(row.cap)),
    validBeforeSeconds: BigInt(row.valid_before),
    closed: row.closed,
  };
}
