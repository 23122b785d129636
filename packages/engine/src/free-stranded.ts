// Work that a process had begun stays bound to that process's address, and holds its key while the engine tries to reach it.
// Where nobody answers any more it is ended: what it was about stands in the database, and is begun anew elsewhere.
import { isReachable } from './served-elsewhere.ts';

const REQUEST_TIMEOUT_MS = 5_000;

type Row = { readonly id: string; readonly endpoint: string | null };

/** Ends what waits for a process other than this one that can't be reached. Answers how much that was. */
export async function freeStranded(adminUrl: string, services: readonly string[], ownUrl: string): Promise<number> {
  const names = services.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ');
  const query = `select i.id as id, d.endpoint as endpoint from sys_invocation i
    join sys_deployment d on d.id = i.pinned_deployment_id
    where i.status = 'backing-off' and i.target_service_name in (${names})`;
  const response = await fetch(`${adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the engine answered ${response.status}`);
  const { rows } = (await response.json()) as { rows: readonly Row[] };
  let freed = 0;
  for (const { id, endpoint } of rows) {
    if (endpoint === null || new URL(endpoint).href === new URL(ownUrl).href) continue;
    if (await isReachable(new URL(endpoint))) continue;
    await fetch(`${adminUrl}/invocations/${id}/kill`, {
      method: 'PATCH',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    freed += 1;
  }
  return freed;
}
