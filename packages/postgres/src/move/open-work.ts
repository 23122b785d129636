// What an account still has under way in the cell that it leaves. It is copied when all of these are 0.
import {
  BATCH_STATUS,
  DELIVERY_STATUS,
  EVENT_REPLAY_STATUS,
  PAYMENT_STATUS,
  REFUND_STATUS,
  SETTLEMENT_STATUS,
  STRANDED_STATUS,
} from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs, sqlIsNot } from '../database/status-sql.ts';

export type OpenMoveWork = {
  readonly what: string;
  readonly count: number;
  /** How it ends. */
  readonly ends: string;
};

const UNFINISHED = sqlIs(BATCH_STATUS.signed, BATCH_STATUS.broadcast, BATCH_STATUS.mined);
const OF = 'account_id = $1';

const KINDS: readonly { readonly what: string; readonly ends: string; readonly from: string }[] = [
  {
    what: 'payments without a result',
    ends: 'lanes settle them',
    from: `svc.payments where ${OF} and status ${sqlIs(PAYMENT_STATUS.pending)}`,
  },
  {
    what: 'settlements in the queue, in a lane or held',
    ends: 'lanes and watchers end them',
    from: `svc.settlements where ${OF} and status ${sqlIs(
      SETTLEMENT_STATUS.queued,
      SETTLEMENT_STATUS.held,
      SETTLEMENT_STATUS.batched,
      SETTLEMENT_STATUS.mined,
    )}`,
  },
  {
    what: 'payments in a block that is not final',
    ends: 'the chain finalizes the block',
    from: `svc.batches b join svc.settlements s on s.batch_id = b.id where b.status ${UNFINISHED} and s.${OF}`,
  },
  {
    what: 'refunds under way',
    ends: 'lanes and watchers end them; one that is prepared for a relayer of this cell expires',
    from: `svc.refunds where ${OF} and (
      status ${sqlIs(REFUND_STATUS.queued, REFUND_STATUS.sent)}
      or status ${sqlIs(REFUND_STATUS.prepared)} and bound_relayer is not null
    )`,
  },
  {
    what: 'refunds in a block that is not final',
    ends: 'the chain finalizes the block',
    from: `svc.batches b join svc.refunds r on r.batch_id = b.id where b.status ${UNFINISHED} and r.${OF}`,
  },
  {
    what: 'authorizations that can still move money',
    ends: 'they expire, at most an hour after they were signed, or a merchant settles an up-to payment: abort to let it',
    from: `svc.authorizations where ${OF} and closed_at is null`,
  },
  {
    what: 'refused authorizations that can still move money',
    ends: 'they expire',
    from: `svc.refused_authorizations where ${OF} and closed_at is null`,
  },
  {
    what: 'stranded transfers',
    ends: 'they are settled or returned; a blocked one needs a person',
    from: `svc.stranded_transfers where ${OF} and status ${sqlIsNot(STRANDED_STATUS.done)}`,
  },
  {
    what: 'deliveries that are due or being sent',
    ends: 'webhooks sends them',
    from: `svc.deliveries where ${OF} and status ${sqlIs(DELIVERY_STATUS.pending)}
      and (next_at <= now() or lease_until > now())`,
  },
  {
    what: 'replays of events',
    ends: 'webhooks ends them',
    from: `svc.event_replays where ${OF} and status ${sqlIs(EVENT_REPLAY_STATUS.running)}`,
  },
  {
    what: 'money logs that are read and not applied',
    ends: 'the chain reader applies them when their block is final',
    from: `svc.read_logs r where exists (
        select from svc.intent_codes c
        where c.${OF} and (c.intent_code::text = r.log ->> 'intentCode'
          or r.event = 'authorization_used' and lpad(to_hex(c.intent_code), 16, '0') = substr(r.log ->> 'nonce', 19, 16))
      ) or exists (
        select from svc.payouts p
        where p.${OF} and p.network = r.network and lower(p.processor) = r.address
          and p.payout_id::text = r.log ->> 'payoutId'
      )`,
  },
  {
    what: 'transfers of token ledgers that are not applied',
    ends: 'the reader of the ledger applies them',
    from: `svc.icrc_transfers i join svc.intent_codes c on c.intent_code = i.intent_code where c.${OF}`,
  },
  {
    what: 'Solana references with a transaction that nodes do not agree on',
    ends: 'the reader of references decides it',
    from: `svc.payment_references where ${OF} and waits_since is not null`,
  },
  {
    what: 'batches that the chain reader has not passed',
    ends: 'the chain reader reads on',
    from: `svc.batches b join svc.reader_cursors cursor on cursor.network = b.network and cursor.kind = 'processor'
      where cursor.block_number < b.block_number and exists (
        select from svc.settlements s where s.batch_id = b.id and s.${OF}
      )`,
  },
  {
    what: 'bookings that are not in the figures of the overview',
    ends: 'settlement folds them',
    from: `svc.ledger_bookings b join svc.overview_cursors shown on shown.shown
      where b.${OF} and (b.position, b.id) > (shown.booking_position, shown.booking_id)`,
  },
  {
    what: 'changes of payments that are not in the figures of the overview',
    ends: 'settlement folds them',
    from: `svc.payment_changes c join svc.overview_cursors shown on shown.shown
      where c.${OF} and (c.position, c.number) > (shown.change_position, shown.change_number)`,
  },
];

const COUNT_OPEN = KINDS.map(({ from }, place) => `select ${place} as place, count(*)::integer as count from ${from}`)
  .join('\nunion all\n')
  .concat('\norder by place');

/** What is not 0. */
export async function readOpenWork(
  client: pg.Pool | pg.ClientBase,
  accountId: string,
): Promise<readonly OpenMoveWork[]> {
  const { rows } = await client.query<{ place: number; count: number }>(COUNT_OPEN, [accountId]);
  return rows.flatMap(({ place, count }) => {
    const kind = KINDS[place];
    return kind === undefined || count === 0 ? [] : [{ what: kind.what, count, ends: kind.ends }];
  });
}
