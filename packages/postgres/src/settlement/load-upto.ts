// Loads an up-to intent with its latest payment and its newest authorization, in one statement.
import {
  type Caller,
  normalizeAddress,
  type StoredAuthorization,
  type SubmittedAuthorization,
  type UptoRead,
} from '@svc-pay/core';
import { atomicAmount } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type PayerBudgetRow, payerBudgetJoin, payerBudgetOf } from '../budget/payer-budget.ts';
import { bytesOfHex } from '../database/bytes-of-hex.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { type IntentRow, intentOf } from '../intent/load-intent.ts';
import { isSent, type ProgressRow, paymentStep, progressOf } from './load-settlement.ts';

export type StoredRow = {
  readonly network: NetworkId;
  readonly asset: string;
  readonly recipient: string;
  readonly cap: string;
  readonly valid_before: string;
  readonly closed: boolean;
};

/** The newest authorization of an intent as JSON, for `storedOf`; `signed` is its row. */
// A closed authorization whose stranded transfer has action `hold` is reported as not closed: its money lies with the
// processor, and the merchant may still settle it.
export const STORED_JSON = `json_build_object(
        'network', signed.network, 'asset', signed.asset, 'recipient', signed.recipient, 'cap', signed.cap::text,
        'valid_before', signed.valid_before::text, 'closed', signed.closed_at is not null and not exists (
          select from svc.stranded_transfers stranded
          where stranded.account_id = signed.account_id and stranded.mode = signed.mode
            and stranded.claim_key = signed.claim_key and stranded.action = 'hold'
        )
      )`;

const SENT = namedParameters({
  account_id: 'text',
  mode: 'text',
  intent_id: 'text',
  payer: 'text',
  nonce: 'bytea',
  network: 'text',
  recipient: 'text',
  cap: 'numeric',
  valid_after: 'bigint',
  valid_before: 'bigint',
});
const { account_id, mode, intent_id, ...submitted } = SENT.at;
const LOAD_UPTO = {
  name: 'load-upto',
  text: `
    select intent.*, signed.payer as confirmed_payer, step.progress as latest, signed.stored, signed.submitted, budget.payer_budget
    from svc.intents intent
    ${paymentStep('intent.payment_id', account_id, mode)}
    left join lateral (
      select signed.payer, ${STORED_JSON} as stored,
        ${isSent(submitted)} as submitted
      from svc.authorizations signed
      where signed.account_id = ${account_id} and signed.mode = ${mode} and signed.intent_id = ${intent_id}
      order by signed.created_at desc limit 1
    ) signed on intent.x402_upto
    ${payerBudgetJoin(submitted.network, submitted.payer)}
    where intent.account_id = ${account_id} and intent.mode = ${mode} and intent.id = ${intent_id}`,
};

type Row = IntentRow & {
  readonly latest: ProgressRow | null;
  readonly stored: StoredRow | null;
  readonly submitted: boolean | null;
  readonly payer_budget: PayerBudgetRow | null;
};

export async function loadUpto(
  pool: pg.Pool,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
  authorization: SubmittedAuthorization | null,
): Promise<UptoRead | undefined> {
  const { rows } = await pool.query<Row>({
    ...LOAD_UPTO,
    values: SENT.values({
      account_id: caller.accountId,
      mode: caller.mode,
      intent_id: intentId,
      payer: authorization && normalizeAddress(authorization.from),
      nonce: authorization && bytesOfHex(authorization.nonce),
      network: authorization && authorization.network,
      recipient: authorization && authorization.to.toLowerCase(),
      cap: authorization && authorization.value,
      valid_after: authorization && authorization.validAfter,
      valid_before: authorization && authorization.validBefore,
    }),
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    intent: intentOf(row),
    latest: row.latest && progressOf(row.latest),
    stored: row.stored && storedOf(row.stored),
    submittedIsStored: row.submitted ?? false,
    ...payerBudgetOf(row.payer_budget),
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
