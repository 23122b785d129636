// The actions on accounts, keys, limits and payouts as calls of the admin API.
import type { AdminActions } from '@svc-pay/postgres/operator';
import { ADMIN_ROUTES, type AdminRoute, type AdminRouteName, parametersIn } from '@svc-pay/runtime/http/admin-routes';
import * as z from 'zod/mini';
import { type Failure, failed } from '../output/outcome.ts';

/** Thrown where no answer of the action exists: the service can't be reached, or refuses the key or the call. */
export class AdminCallFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

type Given = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 60_000;
const answered = z.looseObject({});
/** A refusal of the call has a message; a refusal of the action has the fields of its result. */
const refusedCall = z.object({ error: z.string(), message: z.string() });
const refusedAction = z.looseObject({ error: z.string() });

export function createRemoteAdmin(url: string, operatorKey: string): AdminActions {
  const call = async (route: AdminRoute, given: Given): Promise<unknown> => {
    const { address, body } = requestOf(url, route, given);
    const headers = {
      authorization: `Bearer ${operatorKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await fetch(address, {
      method: route.method,
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body }),
    }).catch(() => {
      throw new AdminCallFailed(
        failed(
          'admin_unreachable',
          `The admin API at ${new URL(url).origin} does not answer.`,
          'Is it running? `npm run svc -- start admin` starts it; SVC_ADMIN_URL says where it is. Look whether the change was made before you repeat it.',
        ),
      );
    });
    return readAnswer(response.status, await response.json().catch(() => undefined));
  };
  const names = Object.keys(ADMIN_ROUTES) as readonly AdminRouteName[];
  return Object.fromEntries(
    names.map((name) => [name, (given: Given) => call(ADMIN_ROUTES[name], given)]),
  ) as unknown as AdminActions;
}

function requestOf(url: string, { method, path, input }: AdminRoute, given: Given) {
  // What the service would refuse is refused here, without a call.
  const texts = method === 'GET' ? queryOf(given) : given;
  if (!input.safeParse(texts).success)
    throw new AdminCallFailed(failed('malformed_request', 'The admin API takes no such id or value.'));
  const inPath = parametersIn(path);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given[name])));
  const rest = Object.entries(texts).filter(([name]) => !inPath.includes(name));
  if (method === 'POST') return { address: `${url}${filled}`, body: JSON.stringify(Object.fromEntries(rest)) };
  const search = new URLSearchParams(rest as [string, string][]).toString();
  return { address: `${url}${filled}${search === '' ? '' : `?${search}`}`, body: undefined };
}

function queryOf(given: Given): Readonly<Record<string, string>> {
  const there = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there.map(([name, value]) => [name, String(value)]));
}

function readAnswer(status: number, body: unknown): unknown {
  const whole = answered.safeParse(body);
  if (status === 200 && whole.success) return { ok: true, ...whole.data };
  const refusal = refusedCall.safeParse(body);
  if (refusal.success)
    throw new AdminCallFailed(failed(refusal.data.error, refusal.data.message, ADVICE[refusal.data.error]));
  const refused = refusedAction.safeParse(body);
  if (!refused.success) throw new AdminCallFailed(failed('admin_unexpected', `The admin API answered ${status}.`));
  const { error, ...rest } = refused.data;
  return { ok: false, code: error, ...rest };
}

const ADVICE: Readonly<Record<string, string>> = {
  key_invalid: 'Check SVC_OPERATOR_KEY: the key of an operator, opk_…, who is not disabled.',
  not_found: 'Is SVC_ADMIN_URL the address of an admin service of this release?',
};
