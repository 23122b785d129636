import { NOT_MERGED } from './planner.ts';

/**
 * Entries of the payment that a row of an outer query names by `account_id`, `mode` and `payment_id`, for a lateral join. The
 * planner passes no condition of an ordinary join on to the view, and would read the whole ledger.
 */
export const entriesOfPayment = (outer: string): string => `(
        select * from svc.ledger_entries ledger_entry
        where ledger_entry.account_id = ${outer}.account_id and ledger_entry.mode = ${outer}.mode
          and ledger_entry.payment_id = ${outer}.payment_id ${NOT_MERGED}
      )`;
