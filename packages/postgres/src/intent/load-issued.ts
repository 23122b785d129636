import type { Caller, IssuedOffer } from '@svc-pay/core';
import type { Acceptance } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { PAYOUT_OF_OFFER, type PayoutRow, payoutStateOf } from './load-acceptances.ts';

type Row = PayoutRow & { readonly body: string; readonly price_ends_at: Date | null; readonly claims: number };

const LOAD_ISSUED = {
  name: 'load-issued-acceptances',
  text: `
    select offered.network, body, price_ends_at, payout.*, (
      select count(*)::integer from svc.authorizations claimed
      where claimed.account_id = $1 and claimed.mode = $2 and claimed.intent_id = $3
    ) as claims
    from svc.acceptances offered
    ${PAYOUT_OF_OFFER('offered')}
    where offered.account_id = $1 and offered.mode = $2 and offered.intent_id = $3 and offered.flow = 'x402'
    order by position`,
};

/** The acceptances of an intent exactly as they were answered to be signed; none for an intent of somebody else. */
export async function loadIssued(
  pool: pg.Pool,
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
  intentId: Id<'paymentIntent'>,
): Promise<IssuedOffer> {
  const { rows } = await pool.query<Row>({ ...LOAD_ISSUED, values: [accountId, mode, intentId] });
  return {
    acceptances: rows.map((row) => ({
      acceptance: JSON.parse(row.body) as Acceptance,
      priceEndsAtMs: row.price_ends_at?.getTime() ?? null,
      ...(payoutStateOf(row).payoutWithdrawn === true && { payoutWithdrawn: true }),
    })),
    claims: rows[0]?.claims ?? 0,
  };
}
