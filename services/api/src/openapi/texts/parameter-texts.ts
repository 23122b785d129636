// What the parameters of paths and queries mean, each with an example.
import { EXAMPLE_IDS } from './field-text.ts';

/** What the id names. */
export const PATH_IDS: Readonly<Record<string, readonly [what: string, example: string]>> = {
  intentId: ['intent', EXAMPLE_IDS.intent],
  paymentId: ['payment', EXAMPLE_IDS.payment],
  refundId: ['refund', EXAMPLE_IDS.refund],
  endpointId: ['endpoint', EXAMPLE_IDS.endpoint],
  eventId: ['event', EXAMPLE_IDS.event],
  recoveryId: ['recovery', EXAMPLE_IDS.recovery],
};

/** A key is `operationId.parameter`, or the parameter alone where it means the same on every route. */
export const IN_QUERY: Readonly<Record<string, readonly [description: string, example: string]>> = {
  limit: ['Most items of the answer, 1 to 100; 25 unless told', '25'],
  startingAfter: ['Id of the last item of the page before; deliveries go by their event', EXAMPLE_IDS.event],
  'listDeliveries.status': ['Only deliveries with this status', 'failed'],
  status: ['Only those with this status', 'completed'],
  type: ['Only events of this type', 'payment.completed'],
  intentId: ['Only those of this intent', EXAMPLE_IDS.intent],
  paymentId: ['Only those of this payment', EXAMPLE_IDS.payment],
  chain: ['Only those on this chain', 'eip155:8453'],
  token: ['Only those in this token, by its shortcode', 'base_usdc'],
  payer: ['Only those of this wallet', '0x5b38da6a701c568545dcfcb03fcb875f56beddc4'],
  transactionId: ['Only those of this transaction', `0x${'5e'.repeat(32)}`],
  metadata: ['Only those with this value under a declared metadata key, as `key:value`', 'orderId:1234'],
  createdAfter: ['Only those of this time or later', '2026-11-15T00:00:00Z'],
  createdBefore: ['Only those before this time', '2026-11-16T00:00:00Z'],
  after: ['The `nextCursor` of a page with the same filters: older items', 'eyJsIjoicGF5bWVudHMifQ'],
  before: ['The `previousCursor` of a page with the same filters: newer items', 'eyJsIjoicGF5bWVudHMifQ'],
  'listPayments.expand': ['`intent`: adds the intent of each payment', 'intent'],
  'listIntents.expand': ['`payment`: adds the latest payment of each intent', 'payment'],
  expand: ['`intent` or `payment`: adds the intent of each payment, or the latest payment of each intent', 'intent'],
  format: ['`csv` or `jsonl`; `csv` unless told', 'csv'],
  cursor: ['Where the page begins, as the page before said; the beginning unless told', 'bGVkZ2VyOjEyMzQ'],
  from: ['Begin of the first interval; a time within it counts as its begin', '2026-11-01T00:00:00Z'],
  to: ['End of the last interval, not included', '2026-11-16T00:00:00Z'],
  interval: ['`hour` or `day` (UTC); `day` unless told', 'day'],
  day: ['The day (UTC)', '2026-11-16'],
  'exportPayments.limit': ['Most rows of the page, 1 to 5000; 1000 unless told', '1000'],
  'exportLedger.limit': ['Most rows of the page, 1 to 5000; 1000 unless told', '1000'],
  undelivered: ['`true`: only events that some endpoint has not got yet, or was given up on', 'true'],
};
