// Periodic jobs for webhook endpoints besides sending: event replays, and reports of failing endpoints.
import type { Mode } from '@svc-pay/core';
import type pg from 'pg';
import { type FailingEndpoint, nameFailing } from '../endpoint/name-failing-endpoints.ts';
import { workReplay } from './work-replay.ts';

export type EndpointStore = {
  /** Works one step of one event replay; false when nothing is left to do. */
  readonly workReplay: (modes: readonly Mode[], nowMs: number) => Promise<boolean>;
  /** Endpoints that will soon be switched off and were not reported before. */
  readonly nameFailing: (modes: readonly Mode[], nowMs: number) => Promise<readonly FailingEndpoint[]>;
};

export function createEndpointStore(pool: pg.Pool): EndpointStore {
  return {
    workReplay: (...given) => workReplay(pool, ...given),
    nameFailing: (...given) => nameFailing(pool, ...given),
  };
}
