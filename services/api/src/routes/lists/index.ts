import { getPayment } from './get-payment.ts';
import { getTimeline } from './get-timeline.ts';
import { listAttempts } from './list-attempts.ts';
import { listIntents } from './list-intents.ts';
import { listPayments } from './list-payments.ts';

export const LIST_ROUTES = [listPayments, getPayment, listIntents, listAttempts, getTimeline];
