// A route as one value: what it takes, what it answers and what it does. Fastify's routes and the OpenAPI document are
// both made from these.
import type { Caller, IdempotencyClaim } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type * as z from 'zod/mini';
import type { Metrics } from '../observe/metrics.ts';
import type { ApiPorts } from '../ports.ts';
import type { IntentStreams } from '../stream/intent-streams.ts';
import type { Outcome } from './outcome.ts';

/** A shape with the name it has in the document. */
export type NamedSchema = { readonly name: string; readonly schema: z.ZodMiniType };

type ResponseContract = {
  readonly description: string;
  readonly contentType?: string;
  readonly schema?: NamedSchema;
};

type RouteContract = {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As OpenAPI writes it, with `{intentId}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<number, ResponseContract>>;
  /** What it may refuse with, beside what every route of its kind may. */
  readonly refusals: readonly ErrorCode[];
};

/** A call by somebody who showed a key. */
type Call = {
  readonly caller: Caller;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  /** What the route's schema let pass; empty without one. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly claim: IdempotencyClaim | null;
  /** Over its rate limit, on a route that spares what was claimed. */
  readonly limited: boolean;
  readonly lastEventId: string | undefined;
};

/** What routes work with. */
export type World = {
  readonly ports: ApiPorts;
  readonly streams: IntentStreams;
  readonly metrics: Metrics;
  readonly stopping: () => boolean;
};

export type OpenRoute = RouteContract & {
  readonly access: 'open';
  readonly handle: (world: World) => Outcome | Promise<Outcome>;
};

export type KeyedRoute = RouteContract & {
  /** Secret keys work on publishable routes too. */
  readonly access: 'publishable' | 'secret';
  /** Also takes a publishable key as `?publishableKey=`, for clients that can't set headers. */
  readonly keyInQuery?: true;
  /** Decides by itself who of those over their key's rate limit is answered: a claimed header always is. */
  readonly sparesClaimed?: true;
  /** `x-account-id` must be sent beside the key. */
  readonly accountRequired?: true;
  readonly body?: NamedSchema;
  /** May be left out. */
  readonly bodyOptional?: true;
  /** Of texts alone. A parameter that it does not know, or that is repeated, is refused. */
  readonly query?: z.ZodMiniObject;
  readonly handle: (world: World, call: Call) => Promise<Outcome>;
};

export type Route = OpenRoute | KeyedRoute;
