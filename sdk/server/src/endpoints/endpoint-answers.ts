import type { Endpoint } from '@svc-pay/protocol/merchant';
import { withFields } from '../call/read-answer.ts';

export const ENDPOINTS = '/sdk/webhooks/endpoints';

export type EndpointFound = { readonly ok: true; readonly endpoint: Endpoint };

export const readEndpoint = withFields<{ endpoint: Endpoint }>({ endpoint: 'object' });
