// Which logs of the chain reader a lane has recorded already, with the same payment, payer, token and amount.
import { claimKey, type MoneyLog } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { ONE_BY_KEY } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { CODE_END } from './lock-for-apply.ts';

type Asked = { readonly network: NetworkId; readonly log: MoneyLog };

export const ASKED_LOGS = columnArrays<Asked>(
  {
    transaction_id: ['text', ({ log }) => log.position.transactionId],
    log_index: ['integer', ({ log }) => log.position.logIndex],
    block_hash: ['text', ({ log }) => log.position.blockHash],
    /** Null for a processor's log, which is the proof itself; of a direct payment the proof is the transfer behind the use. */
    claim_key: [
      'bytea',
      ({ network, log }) =>
        log.event === 'authorization_used'
          ? claimKey({ network, asset: log.address, payer: log.payer, uniquePart: log.nonce })
          : null,
    ],
    /** Null for a token's log, or for a code that can't be ours. */
    intent_code: [
      'bigint',
      ({ log }) => ('nonce' in log || log.intentCode >= CODE_END ? null : log.intentCode.toString()),
    ],
    payer: ['text', ({ log }) => log.payer.toLowerCase()],
    asset: ['text', ({ log }) => ('nonce' in log ? null : log.asset.toLowerCase())],
    amount: ['numeric', ({ log }) => ('nonce' in log ? null : log.amountAtomic.toString())],
  },
  2,
);

// As `differingFields` compares, which judges those that are left.
export const SAYS_THE_SAME = `payment.paid_amount = read.amount and lower(payment.asset) = read.asset
            and coalesce(lower(payment.payer), read.payer) = read.payer`;

/** SQL: the index of the proof that a processor's log `read` is, where `$1` is the network; null where no lane recorded it. */
export const PROVEN_INDEX = `
  select proof.log_index from svc.log_proofs proof
  cross join lateral (
    select intent_id, paid_amount, asset, payer from svc.payments payment
    where payment.account_id = proof.account_id and payment.mode = proof.mode and payment.id = proof.payment_id
    ${ONE_BY_KEY}
  ) payment
  cross join lateral (
    select account_id, mode, intent_id from svc.intent_codes code where code.intent_code = read.intent_code
    ${ONE_BY_KEY}
  ) code
  where read.claim_key is null and proof.payment_id is not null and proof.network = $1
    and proof.transaction_id = read.transaction_id and proof.log_index = read.log_index
    and code.account_id = proof.account_id and code.mode = proof.mode and code.intent_id = payment.intent_id
    and ${SAYS_THE_SAME}
  ${ONE_BY_KEY}`;
