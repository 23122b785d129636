// What the receipt of a log's transaction shows, by a quorum of nodes. A node votes with a receipt of that transaction in that
// block: a receipt of another fork, or of another transaction, is evidence of nothing.
import { majorityOf, viewKey } from '../finality/quorum.ts';
import type { MoneyLog } from './money-log.ts';

type Evidence = { readonly transactionId: string; readonly blockHash: string };

/** Undefined without a quorum. `views` are of all nodes that answered; undefined where a node has no such receipt. */
export function agreeOnEvidence<View extends Evidence>(
  { position }: Pick<MoneyLog, 'position'>,
  views: readonly (View | undefined)[],
): View | undefined {
  const votes = views.filter(
    (view) => view?.transactionId === position.transactionId && view.blockHash === position.blockHash,
  ) as readonly View[];
  return majorityOf(votes, viewKey, views.length)?.[0];
}
