// A lease and the claim of its authorization, as statements give them.
import type { AnswerMark, AuthorizationLease, LeaseFacts } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';

type HolderRow = { readonly account_id: Id<'account'>; readonly mode: 'test' | 'live' };

export type LeaseFactsRow = {
  readonly lease:
    | (HolderRow & {
        readonly recipient: string;
        readonly amount: string;
        readonly valid_before: string;
        readonly call: number;
        readonly call_at_ms: number;
        readonly answer: AnswerMark | null;
        readonly intent_id: Id<'paymentIntent'> | null;
      })
    | null;
  readonly claim: (HolderRow & { readonly intent_id: Id<'paymentIntent'> }) | null;
};

/** SQL: the time now, by the clock of the database, also within a transaction. */
export const NOW_MS = 'floor(extract(epoch from clock_timestamp()) * 1000)::text';

/** SQL columns `lease` and `claim` of the authorization with this claim key. */
export const leaseFacts = (claimKey: string) => `
      (
        select json_build_object(
          'account_id', account_id, 'mode', mode, 'recipient', recipient, 'amount', amount::text,
          'valid_before', valid_before::text, 'call', call, 'call_at_ms', extract(epoch from call_at) * 1000,
          'answer', answer, 'intent_id', intent_id
        ) from svc.x402_leases where claim_key = ${claimKey}
      ) as lease, (
        select json_build_object('account_id', account_id, 'mode', mode, 'intent_id', intent_id)
        from svc.claims where claim_key = ${claimKey}
      ) as claim`;

export function leaseFactsOf({ lease, claim }: LeaseFactsRow): LeaseFacts {
  return {
    lease: lease === null ? undefined : leaseOf(lease),
    claim: claim === null ? undefined : { ...holderOf(claim), intentId: claim.intent_id },
  };
}

function leaseOf(row: NonNullable<LeaseFactsRow['lease']>): AuthorizationLease {
  return {
    ...holderOf(row),
    recipient: row.recipient,
    amount: BigInt(row.amount),
    validBeforeSeconds: BigInt(row.valid_before),
    call: row.call,
    callAtMs: Math.round(row.call_at_ms),
    answer: row.answer,
    intentId: row.intent_id,
  };
}

const holderOf = ({ account_id: accountId, mode }: HolderRow) => ({ accountId, mode });
