// The console before the real API and the real admin service, on one database, each with the rights of its own role.
import { ADMIN_INPUTS, startTestAdmin } from '@svc-pay/admin/testing';
import {
  call,
  fillRequest,
  type Ids,
  type Operation,
  operationsOf,
  PEPPER,
  type SeededAccount,
  seedAccount,
  startTestApi,
} from '@svc-pay/api/testing';
import type { Mode, PersonRole } from '@svc-pay/core';
import { ADMIN_ROUTES, type AdminRouteName } from '@svc-pay/runtime/http/admin-routes';
import { API_OPERATIONS } from '../relay/api-operations.ts';
import { createConsoleHarness } from './console-harness.ts';

export type RelayedName = keyof typeof API_OPERATIONS;
export const RELAYED = Object.keys(API_OPERATIONS) as RelayedName[];
export const ADMIN_NAMES = Object.keys(ADMIN_ROUTES) as AdminRouteName[];

/** Of operations that need more than ids. */
const QUERIES: Readonly<Partial<Record<RelayedName, string>>> = {
  getStatement: '?day=2026-11-16',
  getOverview: '?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z',
};

/** A request of the page, below /console/api. */
export type PageRequest = { readonly method: string; readonly path: string; readonly body?: object };
/** Whose ids an admin route is asked with. */
type AdminIds = { readonly keyId: string; readonly network?: string; readonly payoutId?: string };

export async function startRealStack() {
  const api = await startTestApi({ SVC_API_STREAM_LIFE_MS: '100' });
  const admin = await startTestAdmin(api.database, PEPPER);
  const behind = { database: api.database, apiUrl: api.url, adminUrl: admin.url };
  const harness = await createConsoleHarness(behind);
  const { pool } = harness;
  const described = operationsOf((await call(api, 'GET', '/openapi.json')).json());

  const operationOf = (name: RelayedName): Operation => {
    const found = described.find(({ operation }) => operation.operationId === name);
    if (found === undefined) throw new Error(`the API describes no operation ${name}`);
    return found;
  };
  const apiRequest = (name: RelayedName, accountId: string, mode: Mode, ids: Ids): PageRequest => {
    const { method, path, operation } = operationOf(name);
    const { url, body } = fillRequest(path, operation, ids);
    return { method, path: `/accounts/${accountId}/${mode}${url}${QUERIES[name] ?? ''}`, ...(body && { body }) };
  };
  const adminRequest = (name: AdminRouteName, accountId: string, mode: Mode, ids: AdminIds): PageRequest => {
    const { method, path } = ADMIN_ROUTES[name];
    const place = path.replace('{accountId}', accountId).replace('{keyId}', ids.keyId);
    const input = ADMIN_INPUTS[name];
    if (method === 'GET')
      return {
        method,
        path: name === 'getAccount' || name === 'listAccounts' ? place : `${place}?accountId=${accountId}`,
      };
    const { keyId: _, ...named } = ids;
    return {
      method,
      path: place,
      body: { ...input, ...('mode' in input && { mode }), ...('payoutId' in input && named) },
    };
  };
  const keyOf = async ({ accountId }: SeededAccount, mode: Mode): Promise<string> => {
    const { rows } = await pool.query<{ id: string }>(
      "select id from svc.api_keys where account_id = $1 and mode = $2 and kind = 'publishable'",
      [accountId, mode],
    );
    return rows[0]?.id ?? '';
  };
  /** A member whose last passkey check is longer ago than it counts. */
  const newStaleMember = async (accountId: string, role: PersonRole) => {
    const member = await harness.newMember(accountId, role);
    await pool.query(
      "update svc.console_sessions set verified_at = verified_at - interval '6 minutes' where person_id = $1",
      [member.personId],
    );
    return member;
  };
  /** Requests that the API has taken with a key of the account and mode, by route. */
  const takenByApi = (accountId: string) =>
    api.logs
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(
        (line) => line['event'] === 'request_finished' && line['accountId'] === accountId && line['status'] !== 401,
      );
  return {
    ...harness,
    api,
    apiRequest,
    adminRequest,
    keyOf,
    newStaleMember,
    takenByApi,
    seedAccount: () => seedAccount(pool),
  };
}
