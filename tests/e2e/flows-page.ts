// The page that shows which flow leads through which statuses and events.

/** In the order of the page. */
export const FLOWS = [
  'Exact, through the processor',
  'Exact, to the merchant’s wallet',
  'Exact, on Solana',
  'Up-to, settled below its cap',
  'Regular: `approve` and `pay`',
  'Regular, to the merchant’s wallet',
  'Regular: Solana Pay',
  'Underpaid, then the rest',
  'Underpaid, accepted by the merchant',
  'Underpaid, and signed for after expiry',
  'Overpaid',
  'Paid twice',
  'Paid after expiry',
  'Signed, canceled, and submitted by a stranger',
  'Refunded in parts',
  'Refunded at once',
  'Refunded on Solana',
  'Refused before anything was claimed',
  'The payer’s wallet is emptied meanwhile',
  'The same, and the intent expires meanwhile',
  'Expired',
  'Canceled by the merchant',
  'Cap submitted by a stranger, then released',
] as const;

export const flowsPage = (lines: readonly string[]): string => `# Flows, statuses and events

What a merchant sees of each flow. The table is made by a test that carries every flow out on local chains, reads the statuses
from the API and receives the events at a server of its own (\`tests/e2e/every-status.test.ts\`); it fails when a status or an
event of the interface is reached by no flow. [States](states.md) says what each status means, and [which flow when](which-flow-when.md)
which one a payer takes.

${lines.join('\n')}

- The words of a cell are in the order of the interface, each once. A payment that was claimed is \`pending\` until its result is known;
  money that the payer sent by a transaction of their own is seen when it is final, so its payment is never \`pending\`.
- *Answer to settle* is empty where nothing is submitted to the service. A header that comes after another one has paid is answered \`completed\`.
- An intent names at most one payment. The others (parts, a second payment, money that came too late, a cap that went back) are in the
  [list of payments](../integrate/lists.md) and in the events.
- \`payment_intent.canceled\` goes to endpoints that ask for it.
`;
