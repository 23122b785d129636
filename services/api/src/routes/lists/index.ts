import { getOverview } from './get-overview.ts';
import { getPayment } from './get-payment.ts';
import { getTimeline } from './get-timeline.ts';
import { listAttempts } from './list-attempts.ts';
import { listIntents } from './list-intents.ts';
import { listPayments } from './list-payments.ts';
import { listRefusedAttempts } from './list-refused-attempts.ts';

export const LIST_ROUTES = [
  listPayments,
  getPayment,
  listIntents,
  listAttempts,
  listRefusedAttempts,
  getTimeline,
  getOverview,
];
