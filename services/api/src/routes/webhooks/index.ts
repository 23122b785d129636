// Routes for webhook endpoints, events and deliveries.
import type { Route } from '../route.ts';
import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { getEndpoint } from './get-endpoint.ts';
import { getEvent } from './get-event.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEndpoints } from './list-endpoints.ts';
import { listEvents } from './list-events.ts';
import { getRecovery, recoverEndpoint } from './recover-endpoint.ts';
import { resendEvent } from './resend-event.ts';
import { rotateSecret } from './rotate-secret.ts';
import { testEndpoint, triggerEvent } from './send-sample.ts';
import { disableEndpoint, enableEndpoint } from './switch-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';

export const WEBHOOK_ROUTES: readonly Route[] = [
  createEndpoint,
  listEndpoints,
  getEndpoint,
  updateEndpoint,
  deleteEndpoint,
  enableEndpoint,
  disableEndpoint,
  testEndpoint,
  rotateSecret,
  listDeliveries,
  recoverEndpoint,
  getRecovery,
  listEvents,
  getEvent,
  resendEvent,
  triggerEvent,
];
