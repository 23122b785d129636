// All public routes.
import { withDocs } from '../openapi/docs-routes.ts';
import { acceptPayment } from './accept-payment.ts';
import { cancelIntent } from './cancel-intent.ts';
import { confirmUpto } from './confirm-upto.ts';
import { createRegularIntent } from './create-regular-intent.ts';
import { createX402Intent } from './create-x402-intent.ts';
import { EXPORT_ROUTES } from './exports/index.ts';
import { getIntent } from './get-intent.ts';
import { getIntentOffer } from './get-intent-offer.ts';
import { getRegularOffer } from './get-regular-offer.ts';
import { health } from './health.ts';
import { listTokens } from './list-tokens.ts';
import { LIST_ROUTES } from './lists/index.ts';
import { notifyPayment } from './notify-payment.ts';
import { payIntent } from './pay-intent.ts';
import { preparePayment } from './prepare-payment.ts';
import { ready } from './ready.ts';
import { REFUND_ROUTES } from './refunds/index.ts';
import { relayPayment } from './relay-payment.ts';
import { releaseUpto } from './release-upto.ts';
import { settlePayment } from './settle-payment.ts';
import { settleUpto } from './settle-upto.ts';
import { signablePayment } from './signable-payment.ts';
import { labelTransactionRequest, postTransactionRequest } from './solana-pay.ts';
import { streamIntent } from './stream-intent.ts';
import { WEBHOOK_ROUTES } from './webhooks/index.ts';
import { FACILITATOR_ROUTES } from './x402/index.ts';

export const ROUTES = withDocs([
  createX402Intent,
  createRegularIntent,
  settlePayment,
  preparePayment,
  signablePayment,
  relayPayment,
  confirmUpto,
  settleUpto,
  releaseUpto,
  notifyPayment,
  getIntent,
  getIntentOffer,
  getRegularOffer,
  streamIntent,
  cancelIntent,
  acceptPayment,
  payIntent,
  labelTransactionRequest,
  postTransactionRequest,
  listTokens,
  ...LIST_ROUTES,
  ...REFUND_ROUTES,
  ...FACILITATOR_ROUTES,
  ...EXPORT_ROUTES,
  ...WEBHOOK_ROUTES,
  health,
  ready,
]);
