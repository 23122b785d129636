// Statements of a timeline. Each reads rows by their keys or by one index in its order, and at most its limit and one more: the
// row that tells that there is more.
import { OPEN_STRANDED } from '@svc-pay/core';
import { listedBy } from '../database/listed-by.ts';
import { equalInKeyOrder, NOT_MERGED, ONE_BY_KEY } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';
import { DELIVERY_COLUMNS } from '../delivery/delivery-row.ts';
import { INTENT_COLUMNS, PAYMENT_COLUMNS } from '../listing/load-listed.ts';
import { REFUND_COLUMNS } from '../refund/refund-row.ts';

export const TIMELINE_LIMITS = {
  offers: 50,
  authorizations: 50,
  strandings: 50,
  payments: 50,
  reverted: 50,
  refunds: 100,
  batches: 100,
  transactions: 200,
  entries: 500,
  events: 100,
  deliveries: 200,
  attempts: 500,
} as const;

const MOST = Object.fromEntries(
  Object.entries(TIMELINE_LIMITS).map(([name, limit]) => [name, `limit ${limit + 1}`]),
) as Record<keyof typeof TIMELINE_LIMITS, string>;

const OWN = 'account_id = $1 and mode = $2';

/** Rows of each key of `$3` in turn, until there are enough. */
const ofEach = (name: keyof typeof TIMELINE_LIMITS, rows: string) =>
  `select found.* from unnest($3::text[]) as named (key) cross join lateral (${rows}) found ${MOST[name]}`;

// An intent takes its authorizations one after another, each after the one before failed or ended: they are few, and all of
// them are read by their key to find the newest.
const signed = (columns: string) => `
      select ${columns} from svc.authorizations
      where ${OWN} and ${equalInKeyOrder('intent_id', '$3')} order by intent_id, authorizations.claim_key ${NOT_MERGED}`;

const BY_INTENT = listedBy({ account_id: '$1', mode: '$2' }, 'intent_id', '$3');

export const TIMELINE = {
  intent: {
    name: 'timeline-intent',
    text: `select ${INTENT_COLUMNS}, canceled_at, version, updated_at, now() as as_of from svc.intents intent where ${OWN} and id = $3`,
  },
  offers: {
    name: 'timeline-offers',
    text: `
      select flow, scheme, network, token_shortcode, amount::text, pay_to, confirmations from svc.acceptances
      where ${OWN} and ${equalInKeyOrder('intent_id', '$3')} order by intent_id, position ${MOST.offers}`,
  },
  authorizations: {
    name: 'timeline-authorizations',
    text: `
      select encode(claim_key, 'hex') as claim_key, kind, direct, network, asset, payer, recipient, cap::text,
        valid_before::text, closed_at, created_at
      from (${signed('*')}) signed order by created_at desc, signed.claim_key ${MOST.authorizations}`,
  },
  payments: {
    name: 'timeline-payments',
    text: `
      select ${PAYMENT_COLUMNS} from svc.payments payment where ${BY_INTENT.where} and id > $4
      order by ${BY_INTENT.order.map((column) => `${column} desc`).join(', ')} ${MOST.payments}`,
  },
  settlements: {
    name: 'timeline-settlements',
    text: ofEach(
      'payments',
      `select payment_id, encode(claim_key, 'hex') as claim_key, status, settled_amount::text, refusal, retry_at,
         held_for_merchant, foreign_transaction_id, batch_id
       from svc.settlements where ${OWN} and payment_id = named.key ${ONE_BY_KEY}`,
    ),
  },
  reverted: {
    name: 'timeline-reverted',
    text: ofEach(
      'reverted',
      `select payment_id, batch_id from svc.reverted_batches
       where ${OWN} and ${equalInKeyOrder('payment_id', 'named.key')} order by payment_id desc, batch_id desc ${MOST.reverted}`,
    ),
  },
  /** Of all authorizations, also of those that are not shown. What is not over comes first: it tells that more will happen. */
  strandings: {
    name: 'timeline-strandings',
    text: `
      select found.* from (${signed('claim_key')}) signed cross join lateral (
        select payment_id, network, action, status, reason, stranded_transaction_id, batch_id, created_at
        from svc.stranded_transfers where ${OWN} and claim_key = signed.claim_key ${ONE_BY_KEY}
      ) found
      order by found.status ${sqlIs(...OPEN_STRANDED)} desc, found.created_at desc ${MOST.strandings}`,
  },
  refunds: {
    name: 'timeline-refunds',
    text: ofEach(
      'refunds',
      `select ${REFUND_COLUMNS}, r.batch_id, r.updated_at from svc.refunds r
       where r.account_id = $1 and r.mode = $2 and ${equalInKeyOrder('r.payment_id', 'named.key')}
       order by r.payment_id desc, r.id desc ${MOST.refunds}`,
    ),
  },
  /** Batches and their transactions are of no account: their ids come from rows of the account. */
  batches: {
    name: 'timeline-batches',
    text: `
      select found.* from unnest($1::text[]) as named (key) cross join lateral (
        select id, network, relayer, nonce::text, item_count, status, transaction_id, block_number::text, created_at,
          updated_at
        from svc.batches where id = named.key ${ONE_BY_KEY}
      ) found`,
  },
  transactions: {
    name: 'timeline-transactions',
    text: `
      select found.* from unnest($1::text[]) as named (key) cross join lateral (
        select batch_id, transaction_id, created_at from svc.batch_transactions where batch_id = named.key
        order by created_at desc ${NOT_MERGED}
      ) found ${MOST.transactions}`,
  },
  entries: {
    name: 'timeline-entries',
    text: `
      select found.* from unnest($3::text[]) as named (key) cross join lateral (
        select id, payment_id, network, asset, account_name, party, amount::text, transaction_id, log_index, reverses,
          created_at
        from svc.ledger_entries
        where ${OWN} and ${equalInKeyOrder('payment_id', 'named.key')} and id > $4
        order by payment_id desc, id desc ${MOST.entries}
      ) found ${MOST.entries}`,
  },
  events: {
    name: 'timeline-events',
    text: `
      select id, type, payment_id, created_at from svc.events
      where ${OWN} and ${equalInKeyOrder('intent_id', '$3')} and id > $4
      order by intent_id desc, sequence desc ${MOST.events}`,
  },
  deliveries: {
    name: 'timeline-deliveries',
    text: ofEach(
      'deliveries',
      `select ${DELIVERY_COLUMNS} from svc.deliveries
       where ${OWN} and ${equalInKeyOrder('event_id', 'named.key')} order by event_id, endpoint_id ${MOST.deliveries}`,
    ),
  },
  /** Of each delivery the newest by its key, and of them the newest of all. */
  attempts: {
    name: 'timeline-attempts',
    text: `
      select found.* from unnest($3::text[], $4::text[]) as named (event, endpoint) cross join lateral (
        select event_id, endpoint_id, attempt, outcome, response_status, total_ms, started_at, next_at
        from svc.delivery_attempts
        where ${OWN} and ${equalInKeyOrder('event_id', 'named.event')} and ${equalInKeyOrder('endpoint_id', 'named.endpoint')}
        order by event_id desc, endpoint_id desc, attempt desc ${MOST.attempts}
      ) found order by found.started_at desc, found.attempt desc ${MOST.attempts}`,
  },
} as const;
