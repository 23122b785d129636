// Bugs of refunds to put in on purpose, as triggers: the totals of a payment are sum and lock of its refunds.
import type pg from 'pg';

const REFUND_BUGS = {
  /** A submitted refund holds nothing back: the next one may have the same money. */
  releasingEarly: 'new.reserved := 0;',
  /** A submitted refund holds its amount twice, and gives back one of them. */
  reservingTwice: 'new.reserved := new.reserved + greatest(new.reserved - old.reserved, 0);',
} as const;

type RefundBug = keyof typeof REFUND_BUGS;

const isRefundBug = (name: string): name is RefundBug => Object.hasOwn(REFUND_BUGS, name);

/** Does nothing for another bug. */
export async function plantRefundBug(pool: pg.Pool, bug: string | undefined): Promise<void> {
  if (bug === undefined || !isRefundBug(bug)) return;
  await pool.query(
    `create function svc.seeded_bug() returns trigger language plpgsql as
     $$ begin ${REFUND_BUGS[bug]} return new; end $$`,
  );
  await pool.query(
    `create trigger seeded_bug before update on svc.refund_totals for each row execute function svc.seeded_bug()`,
  );
}
