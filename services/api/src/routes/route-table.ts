// Every public route. What is not here does not exist.
import { withDocs } from '../openapi/docs-routes.ts';
import { cancelIntent } from './cancel-intent.ts';
import { createX402Intent } from './create-x402-intent.ts';
import { getIntent } from './get-intent.ts';
import { health } from './health.ts';
import { notifyPayment } from './notify-payment.ts';
import { ready } from './ready.ts';
import { settlePayment } from './settle-payment.ts';
import { streamIntent } from './stream-intent.ts';

export const ROUTES = withDocs([
  createX402Intent,
  settlePayment,
  notifyPayment,
  getIntent,
  streamIntent,
  cancelIntent,
  health,
  ready,
]);
