export { type ReadEvent, readWebhookEvent } from './read-event.ts';
export { signWebhook } from './sign-webhook.ts';
export { SIGNATURE_HEADER, TIMESTAMP_HEADER } from './signature-header.ts';
export {
  createWebhookVerifier,
  DEFAULT_TOLERANCE_SECONDS,
  type Delivery,
  type WebhookRefusal,
  type WebhookVerdict,
  type WebhookVerifier,
} from './verify-webhook.ts';
