// What people do by the API, each with the roles that may. An operation that is not here is refused: those of payers and of
// programs, such as paying, are not for the console.
import type { PersonRole } from '@svc-pay/core';

export type RelayedOperation = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As in the route table of the API. */
  readonly path: string;
  readonly roles: readonly PersonRole[];
  /** Needs a passkey check of the last minutes, and uses a key that ends with it. */
  readonly fresh: boolean;
};

const EVERYBODY = ['owner', 'developer', 'support', 'viewer'] as const;
const REFUNDERS = ['owner', 'developer', 'support'] as const;
const DEVELOPERS = ['owner', 'developer'] as const;

const see = (path: string) => ({ method: 'GET', path, roles: EVERYBODY, fresh: false }) as const;
const refund = (path: string) => ({ method: 'POST', path, roles: REFUNDERS, fresh: true }) as const;
const develop = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string) =>
  ({ method, path, roles: DEVELOPERS, fresh: false }) as const;

export const API_OPERATIONS = {
  listIntents: see('/sdk/payment-intents'),
  listAttempts: see('/sdk/payment-intents/{intentId}/attempts'),
  listRefusedAttempts: see('/sdk/attempts'),
  getTimeline: see('/sdk/payment-intents/{intentId}/timeline'),
  getIntent: see('/sdk/public/payments/intents/{intentId}'),
  listPayments: see('/sdk/payments'),
  getPayment: see('/sdk/payments/{paymentId}'),
  listRefunds: see('/sdk/payments/{paymentId}/refunds'),
  getRefund: see('/sdk/refunds/{refundId}'),
  listTokens: see('/sdk/public/tokens'),
  getOverview: see('/sdk/overview'),
  getStatement: see('/sdk/statement'),
  exportPayments: see('/sdk/exports/payments'),
  exportLedger: see('/sdk/exports/ledger'),
  createRefund: refund('/sdk/payments/{paymentId}/refunds'),
  submitRefund: refund('/sdk/refunds/{refundId}/submit'),
  cancelRefund: refund('/sdk/refunds/{refundId}/cancel'),
  createX402Intent: develop('POST', '/sdk/public/payments/intents/x402'),
  createRegularIntent: develop('POST', '/sdk/public/payments/intents'),
  cancelIntent: develop('POST', '/sdk/payments/intents/{intentId}/cancel'),
  acceptPayment: develop('POST', '/sdk/payments/{paymentId}/accept'),
  settleUpto: develop('POST', '/sdk/payments/x402/upto/settle'),
  releaseUpto: develop('POST', '/sdk/payments/x402/upto/release'),
  listEndpoints: develop('GET', '/sdk/webhooks/endpoints'),
  getEndpoint: develop('GET', '/sdk/webhooks/endpoints/{endpointId}'),
  listDeliveries: develop('GET', '/sdk/webhooks/endpoints/{endpointId}/deliveries'),
  createEndpoint: develop('POST', '/sdk/webhooks/endpoints'),
  updateEndpoint: develop('PATCH', '/sdk/webhooks/endpoints/{endpointId}'),
  enableEndpoint: develop('POST', '/sdk/webhooks/endpoints/{endpointId}/enable'),
  disableEndpoint: develop('POST', '/sdk/webhooks/endpoints/{endpointId}/disable'),
  deleteEndpoint: develop('DELETE', '/sdk/webhooks/endpoints/{endpointId}'),
  testEndpoint: develop('POST', '/sdk/webhooks/endpoints/{endpointId}/test'),
  rotateSecret: develop('POST', '/sdk/webhooks/endpoints/{endpointId}/rotate-secret'),
  recoverEndpoint: develop('POST', '/sdk/webhooks/endpoints/{endpointId}/recover'),
  getRecovery: develop('GET', '/sdk/webhooks/recoveries/{recoveryId}'),
  listEvents: develop('GET', '/sdk/events'),
  getEvent: develop('GET', '/sdk/events/{eventId}'),
  resendEvent: develop('POST', '/sdk/events/{eventId}/resend'),
  triggerEvent: develop('POST', '/sdk/events/trigger'),
} as const satisfies Readonly<Record<string, RelayedOperation>>;

/** A parameter of a path is an id: nothing in it can be read as another path. */
const matcherOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[\\w-]{1,64}')}$`);

type Matched<Named> = { readonly name: string; readonly operation: Named };
type Described = { readonly method: string; readonly path: string };

/** Finds the operation that a method and a path name. `pathname` is compared as it was sent, without decoding. */
export function createFinder<Named extends Described>(operations: Readonly<Record<string, Named>>) {
  const list = Object.entries(operations).map(([name, operation]) => ({
    name,
    operation,
    matcher: matcherOf(operation.path),
  }));
  return (method: string, pathname: string): Matched<Named> | undefined =>
    list.find(({ operation, matcher }) => operation.method === method && matcher.test(pathname));
}
