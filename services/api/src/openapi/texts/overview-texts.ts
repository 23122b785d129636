// Figures over time.
import type { FieldTexts } from './field-text.ts';

export const OVERVIEW_TEXTS: FieldTexts = {
  'Overview.asOf': [
    'Everything that was committed by then is counted; null while nothing is',
    '2026-11-15T12:00:05.000Z',
  ],
  'Overview.from': ['Begin of the first interval', '2026-11-01T00:00:00.000Z'],
  'Overview.to': ['End of the last interval, not included', '2026-11-16T00:00:00.000Z'],
  interval: ['Length of an interval', 'day'],
  'Overview.total': ['All intervals together'],
  points: ['Intervals in which something happened, oldest first'],
  'Overview.at': ['Begin of the interval', '2026-11-15T00:00:00.000Z'],
  completed: ['Payments that completed', 120],
  failed: ['Payments that failed, in the interval in which they did', 2],
  canceled: ['Payments that were canceled', 0],
  mismatched: [
    'Payments whose money is not what the intent asked for, parts of a price included, and that nobody has accepted',
    1,
  ],
  'Overview.refunds': ['Refunds that completed', 3],
  'Overview.reversals': ['Bookings that a reorg took back; they are in no other figure', 0],
  successRate: ['Completed payments as a part of completed and failed ones; null without any', '0.983606'],
  'Overview.volumeUsd': ['Volume in dollars, by the rate at which each payment was offered', '1205.5'],
  refundedUsd: ['What refunds gave back, by the rate of their payments', '12'],
  unpriced: ['Payments without a rate, which the figures in dollars do not have', 0],
  gasUsd: ['Gas of payments whose value is known', '0.42'],
  gasShare: ['Gas as a part of the value that it settled; null where that is not known', '0.000348'],
  settleTime: ['From the begin of a payment to its booking; null without any'],
  'settleTime.count': ['Payments that were timed: those that the service settled', 118],
  p50Ms: ['Half of them took no longer, in milliseconds', 2400],
  p95Ms: ['95 of 100 took no longer, in milliseconds', 5200],
  'Overview.tokens': ['The same by chain and token'],
  'Overview.volume': [
    'What payments brought to you, your splits and the platform, in whole tokens; mismatched ones too',
    '1205.5',
  ],
  failures: ['Why payments failed, most frequent first'],
  'failures.code': ['Code of the error reference', 'insufficient_funds'],
  'failures.count': ['Payments that failed so', 2],
};
