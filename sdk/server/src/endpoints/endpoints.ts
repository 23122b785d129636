// Where the merchant hears of events. What the calls promise is told here; how a lost answer is made good, in their own files.
import type { EndpointConfiguration, EventType } from '@svc-pay/protocol';
import type { Delivery, Endpoint, EndpointUpdate } from '@svc-pay/protocol/merchant';
import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection, MakeOptions } from '../call/connection.ts';
import { everyItem, PAGE_FIELDS, type Page, type PageBody, type PageQuery } from '../call/pages.ts';
import { segment, withQuery } from '../call/path.ts';
import { withFields } from '../call/read-answer.ts';
import { createEndpoint, type EndpointCreated } from './create-endpoint.ts';
import { deleteEndpoint, type EndpointDeleted } from './delete-endpoint.ts';
import { ENDPOINTS, type EndpointFound, readEndpoint } from './endpoint-answers.ts';
import { type RecoverCall, type RecoveryFound, recoverEndpoint, waitForRecovery } from './recovery.ts';
import { type RotateOptions, rotateSecret, type SecretRotated } from './rotate-secret.ts';

export type EndpointEnabled = EndpointFound & {
  /** Deliveries that had waited or were given up, and go out now. */
  readonly replayed: number;
};
export type SampleSent = { readonly ok: true; readonly eventId: string };
export type DeliveryFilter = PageQuery & { readonly status?: Delivery['status'] };

export type Endpoints = {
  /** One endpoint per call, however often the answer was lost. Keep the secret: it is not shown again. */
  readonly create: (
    configuration: EndpointConfiguration,
    options?: MakeOptions,
  ) => Promise<EndpointCreated | CallFailure>;
  readonly list: (query?: PageQuery, options?: CallOptions) => Promise<Page<Endpoint> | CallFailure>;
  /** Every endpoint, newest first. Throws a `SvcPayError` when a page can't be had. */
  readonly each: (query?: PageQuery, options?: CallOptions) => AsyncGenerator<Endpoint, void, undefined>;
  readonly get: (endpointId: string, options?: CallOptions) => Promise<EndpointFound | CallFailure>;
  /** What is left out stays as it is; null sets what an endpoint has by itself. `headers` replaces them all. */
  readonly update: (
    endpointId: string,
    changes: EndpointUpdate,
    options?: CallOptions,
  ) => Promise<EndpointFound | CallFailure>;
  /** For ever. One that is gone after a lost answer counts as deleted. */
  readonly delete: (endpointId: string, options?: CallOptions) => Promise<EndpointDeleted | CallFailure>;
  readonly enable: (endpointId: string, options?: MakeOptions) => Promise<EndpointEnabled | CallFailure>;
  readonly disable: (endpointId: string, options?: MakeOptions) => Promise<EndpointFound | CallFailure>;
  /** Test mode only: a made-up event, also of a type that it does not subscribe to. */
  readonly test: (endpointId: string, type: EventType, options?: MakeOptions) => Promise<SampleSent | CallFailure>;
  /**
   * A new secret beside the old one. `secret` is null when the answer that showed it was lost: the old one signs until
   * `previousSecretExpiresAt`, and rotating again ends it at once, so have receivers take the new one quickly then.
   */
  readonly rotateSecret: (endpointId: string, options?: RotateOptions) => Promise<SecretRotated | CallFailure>;
  /** What was sent there, newest event first. */
  readonly deliveries: (
    endpointId: string,
    filter?: DeliveryFilter,
    options?: CallOptions,
  ) => Promise<Page<Delivery> | CallFailure>;
  /** Sends a range of events again, as a job. One at a time per endpoint. */
  readonly recover: (
    endpointId: string,
    range: RecoverCall,
    options?: MakeOptions,
  ) => Promise<RecoveryFound | CallFailure>;
  /** Resolves when the job has ended. It goes on without you when the signal fires. */
  readonly waitForRecovery: (recoveryId: string, options?: CallOptions) => Promise<RecoveryFound | CallFailure>;
};

export function endpointsOf(connection: Connection): Endpoints {
  const { call } = connection;
  const pathOf = (id: string, action = '') => `${ENDPOINTS}/${segment(id)}${action}`;
  const list: Endpoints['list'] = async (query = {}, options) => {
    const path = withQuery(ENDPOINTS, query);
    const answer = await call({ method: 'GET', path, read: withFields<PageBody<Endpoint>>(PAGE_FIELDS) }, options);
    return answer.ok ? { ok: true, ...answer.value } : answer;
  };
  return {
    create: (configuration, options) => createEndpoint(connection, configuration, options),
    list,
    each: (query = {}, options) => everyItem(list, ({ id }) => id, query, options),
    get: async (id, options) => {
      const answer = await call({ method: 'GET', path: pathOf(id), read: readEndpoint }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    update: async (id, changes, options) => {
      const answer = await call({ method: 'PATCH', path: pathOf(id), body: changes, read: readEndpoint }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    delete: (id, options) => deleteEndpoint(connection, id, options),
    enable: async (id, options) => {
      const read = withFields<Omit<EndpointEnabled, 'ok'>>({ endpoint: 'object', replayed: 'number' });
      const answer = await call({ method: 'POST', path: pathOf(id, '/enable'), makes: true, read }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    disable: async (id, options) => {
      const path = pathOf(id, '/disable');
      const answer = await call({ method: 'POST', path, makes: true, read: readEndpoint }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    test: async (id, type, options) => {
      const read = withFields<{ eventId: string }>({ eventId: 'text' });
      const path = pathOf(id, '/test');
      const answer = await call({ method: 'POST', path, body: { type }, makes: true, read }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    rotateSecret: (id, options) => rotateSecret(connection, id, options),
    deliveries: async (id, filter = {}, options) => {
      const path = withQuery(pathOf(id, '/deliveries'), filter);
      const answer = await call({ method: 'GET', path, read: withFields<PageBody<Delivery>>(PAGE_FIELDS) }, options);
      return answer.ok ? { ok: true, ...answer.value } : answer;
    },
    recover: (id, range, options) => recoverEndpoint(connection, id, range, options),
    waitForRecovery: (id, options) => waitForRecovery(connection, id, options),
  };
}
