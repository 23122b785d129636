import { type Id, type IdKind, isId } from '@svc-pay/protocol/ids';
import type { RouteOutcome } from '../outcome.ts';

export const NOT_FOUND = { ok: false, code: 'not_found', param: null } as const satisfies RouteOutcome;
export const DISABLED = { ok: false, code: 'endpoint_disabled', param: null } as const satisfies RouteOutcome;

type Params = Readonly<Record<string, string>>;

/** Undefined for text that cannot be an id: the route answers as for an unknown id. */
function idOf<Kind extends IdKind>(kind: Kind, given: string | undefined): Id<Kind> | undefined {
  return isId(kind, given) ? given : undefined;
}

export const endpointIdOf = (params: Params) => idOf('endpoint', params['endpointId']);
export const eventIdOf = (params: Params) => idOf('event', params['eventId']);
export const recoveryIdOf = (params: Params) => idOf('replay', params['recoveryId']);
