// A route as one value: its request, its answers and its handler. Both the Fastify routes and the OpenAPI document are
// made from these values.
import type { Caller, IdempotencyClaim, KeyScope, RequestClass } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type * as z from 'zod/mini';
import type { Traced, Traces } from '../abuse/traces.ts';
import type { PaymentHeaders } from '../buyer/payment-headers.ts';
import type { RefusalPage, RefusalShape } from '../http/refuse.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ApiPorts } from '../ports.ts';
import type { IntentStreams } from '../stream/intent-streams.ts';
import type { RouteOutcome } from './outcome.ts';

/** Schema with its name in the OpenAPI document. */
export type NamedSchema = { readonly name: string; readonly schema: z.ZodMiniType };

type ResponseContract = {
  readonly description: string;
  readonly contentType?: string;
  readonly schema?: NamedSchema;
};

type RouteContract = {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path in OpenAPI form, with `{intentId}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly responses: Readonly<Record<number, ResponseContract>>;
  /** Codes that this route may refuse with, in addition to those of its kind. */
  readonly refusals: readonly ErrorCode[];
};

/** What a call has whoever makes it. */
type AnyCall = {
  readonly caller: Caller;
  /** Who is counted for what the call does. */
  readonly traced: Traced;
  /** True if the caller is over its rate limit, on a route that decides itself whom to spare. */
  readonly limited: boolean;
  readonly payments: PaymentHeaders;
  /** Base URL under which the client reaches this API, without a slash at its end. */
  readonly baseUrl: () => string;
  /** The client is a browser that opens the address, and not a program. */
  readonly wantsPage: boolean;
};

/** Call of a payable address with the secret of its intent. */
export type PayableCall = AnyCall & {
  readonly intentId: Id<'paymentIntent'>;
  /** `token` of the address. */
  readonly tokenShortcode: string | undefined;
  readonly body: unknown;
};

/** Call with an accepted key. */
type Call = AnyCall & {
  /** Client address, as named by the rate limits. */
  readonly address: string;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  /** Query as validated by the route's schema; empty without one. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  readonly claim: IdempotencyClaim | null;
  readonly lastEventId: string | undefined;
};

/** Deps of the route handlers. */
export type World = {
  readonly ports: ApiPorts;
  readonly streams: IntentStreams;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly stopping: () => boolean;
};

/** Call without a key. */
type OpenCall = { readonly accept: string | undefined };

export type OpenRoute = RouteContract & {
  readonly access: 'open';
  readonly handle: (world: World, call: OpenCall) => RouteOutcome | Promise<RouteOutcome>;
};

export type KeyedRoute = RouteContract & {
  /** Publishable routes accept secret keys too. */
  readonly access: 'publishable' | 'secret';
  /** A key with scopes needs this one. */
  readonly scope: KeyScope;
  /** Also accepts a publishable key as `?publishableKey=`, for clients that cannot set headers. */
  readonly keyInQuery?: true;
  /**
   * Also takes the client secret of one intent in the place of a key: of the one in its path or, without one, of
   * `paymentIntentId` in its body. The handler must work on no other intent.
   */
  readonly takesClientSecret?: true;
  /** The handler decides who is answered despite the key's rate limit: a header that is already claimed always is. */
  readonly sparesClaimed?: true;
  /** Class of its quotas. Without it a GET counts as `reads` and everything else as `writes`. */
  readonly quota?: RequestClass;
  /** It creates an intent: an account may leave that to its secret key. */
  readonly creates?: true;
  /** `x-account-id` must be sent with the key. */
  readonly accountRequired?: true;
  /** Fields of the route’s own answers in every refusal, also in those before its handler. */
  readonly refusalShape?: RefusalShape;
  readonly body?: NamedSchema;
  /** The body may be omitted. */
  readonly bodyOptional?: true;
  /** Ignores fields that it does not know, because another document says so: the interface, or x402. */
  readonly ignoresUnknownFields?: true;
  /** Serves the same method and path instead when a request bears a payment; has its own rights and quotas. */
  readonly whenPaid?: KeyedRoute;
  /** Schema of string parameters. Unknown or repeated parameters are refused. */
  readonly query?: z.ZodMiniObject;
  readonly handle: (world: World, call: Call) => Promise<RouteOutcome>;
};

/** An intent's payable address: its secret in the query takes the place of a key. */
export type PayableRoute = RouteContract & {
  readonly access: 'client_secret';
  /** Body of a refusal for browsers. Absent where only wallets ask. */
  readonly refusalPage?: RefusalPage;
  /** Class of its quotas. Without it a request with a payment counts as `settles` and another one as `reads`. */
  readonly quota?: RequestClass;
  /** Names a token in its address, and is answered to pages of any origin: wallets ask here. */
  readonly forWallets?: true;
  readonly body?: NamedSchema;
  readonly handle: (world: World, call: PayableCall) => Promise<RouteOutcome>;
};

export type Route = OpenRoute | KeyedRoute | PayableRoute;

export const isKeyed = (route: Route): route is KeyedRoute =>
  route.access === 'publishable' || route.access === 'secret';

/** On our own routes for a merchant's backend a mistyped field is refused, so that it is not ignored in silence. */
export const refusesUnknownFields = (route: Route): boolean =>
  route.access === 'secret' && route.body !== undefined && route.ignoresUnknownFields !== true;

export function classOf({ quota, method }: KeyedRoute): RequestClass {
  return quota ?? (method === 'GET' ? 'reads' : 'writes');
}
