import { exportRoute } from './export-route.ts';
import { getStatement } from './get-statement.ts';

const PAGES =
  'In commit order, up to a watermark that the first page fixes. `X-SVC-Export-Cursor` is the cursor of the next page, ' +
  '`X-SVC-Export-More` says whether there is one before the watermark. A broken download goes on from its last cursor; the ' +
  'cursor of the last page begins a later export behind this one. `format` is `csv` (the first page has the head) or `jsonl`.';

export const EXPORT_ROUTES = [
  exportRoute({
    kind: 'payments',
    operationId: 'exportPayments',
    path: '/sdk/exports/payments',
    summary: 'Export payments',
    description: `One row for each booking of a payment, reversals too: gross, fee, splits, refund, net, gas, transaction, block. ${PAGES}`,
  }),
  exportRoute({
    kind: 'ledger',
    operationId: 'exportLedger',
    path: '/sdk/exports/ledger',
    summary: 'Export the ledger',
    description: `One row for each ledger entry. ${PAGES}`,
  }),
  getStatement,
];
