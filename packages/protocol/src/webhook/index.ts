export { type LaterEvent, type ReadEvent, readWebhookEvent } from './read-event.ts';
export { signWebhook } from './sign-webhook.ts';
export { SIGNATURE_HEADER, TIMESTAMP_HEADER } from './signature-header.ts';
export {
  createStandardWebhookVerifier,
  STANDARD_ID_HEADER,
  STANDARD_SECRET_PREFIX,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  type StandardDelivery,
  type StandardWebhookVerifier,
} from './verify-standard-webhook.ts';
export {
  createWebhookVerifier,
  DEFAULT_TOLERANCE_SECONDS,
  type ReceivedDelivery,
  type WebhookRefusal,
  type WebhookVerdict,
  type WebhookVerifier,
} from './verify-webhook.ts';
