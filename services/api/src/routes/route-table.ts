// All public routes.
import { withDocs } from '../openapi/docs-routes.ts';
import { cancelIntent } from './cancel-intent.ts';
import { confirmUpto } from './confirm-upto.ts';
import { createX402Intent } from './create-x402-intent.ts';
import { getIntent } from './get-intent.ts';
import { health } from './health.ts';
import { notifyPayment } from './notify-payment.ts';
import { payIntent } from './pay-intent.ts';
import { preparePayment } from './prepare-payment.ts';
import { ready } from './ready.ts';
import { relayPayment } from './relay-payment.ts';
import { releaseUpto } from './release-upto.ts';
import { settlePayment } from './settle-payment.ts';
import { settleUpto } from './settle-upto.ts';
import { signablePayment } from './signable-payment.ts';
import { streamIntent } from './stream-intent.ts';
import { WEBHOOK_ROUTES } from './webhooks/index.ts';
import { FACILITATOR_ROUTES } from './x402/index.ts';

export const ROUTES = withDocs([
  createX402Intent,
  settlePayment,
  preparePayment,
  signablePayment,
  relayPayment,
  confirmUpto,
  settleUpto,
  releaseUpto,
  notifyPayment,
  getIntent,
  streamIntent,
  cancelIntent,
  payIntent,
  ...FACILITATOR_ROUTES,
  ...WEBHOOK_ROUTES,
  health,
  ready,
]);
