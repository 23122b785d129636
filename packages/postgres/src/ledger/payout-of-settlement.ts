/**
 * Joins the payout `t` of a settlement `s`, with its authorization `a` and, where nobody submitted one, the acceptance `o`.
 * `one` makes a lateral join of at most one row, looked up by key.
 */
export const payoutOfSettlement = (one: (name: string, source: string) => string): string => `
  ${one(
    'a',
    `svc.authorizations a where a.account_id = s.account_id and a.mode = s.mode and a.intent_id = s.intent_id
      and a.claim_key = s.claim_key`,
  )}
  ${one(
    'o',
    `svc.acceptances o where a.claim_key is null and o.account_id = s.account_id and o.mode = s.mode
      and o.intent_id = s.intent_id and o.network = s.network and o.payout_id = s.payout_id`,
  )}
  ${one(
    't',
    `svc.payouts t where t.network = s.network and t.payout_id = s.payout_id
      and t.processor = coalesce(a.transfer ->> 'feeRecipient', lower(a.recipient), s.recipient, lower(o.pay_to))`,
  )}`;
