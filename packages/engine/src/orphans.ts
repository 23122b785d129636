// Finds work pinned to a process that is gone. The engine keeps sending an invocation to the process where it began and
// locks the key meanwhile. So an invocation that makes no progress and whose process does not answer is killed here.
// The database holds all that the invocation was about.
import { askEngine } from './ask-engine.ts';
import { isAlive } from './is-alive.ts';
import { EngineRefusal, type Reach } from './reach.ts';

type Orphan = { readonly id: string; readonly name: string; readonly key: string };

export type Lost = {
  /** Deployment ids, given by the engine, of processes that do not answer. */
  readonly deployments: ReadonlySet<string>;
  readonly orphans: readonly Orphan[];
};

type Row = Orphan & { readonly deployment: string };

const STILL_SECONDS = 4;
const ANSWER_MS = 2_000;
const MOST_AT_ONCE = 500;

/** Searches these services, except deployment `own`. Lost means both: no progress, and no answer to a ping. */
export async function findLost(admin: Reach, names: readonly string[], own: string): Promise<Lost> {
  const { rows } = (await admin((url) => askEngine('POST', `${url}/query`, { query: stillQuery(names, own) }))) as {
    rows: readonly Row[];
  };
  const lost = new Set<string>();
  for (const deployment of new Set(rows.map((row) => row.deployment))) {
    if (await isSilent(admin, deployment)) lost.add(deployment);
  }
  return { deployments: lost, orphans: rows.filter(({ deployment }) => lost.has(deployment)) };
}

/** Whether the process of a deployment does not answer. */
export async function isSilent(admin: Reach, deployment: string): Promise<boolean> {
  const answer = await unlessRefused(admin((url) => askEngine('GET', `${url}/deployments/${deployment}`)));
  const { uri } = (answer ?? {}) as { uri?: string };
  return uri === undefined || !(await isAlive(uri, ANSWER_MS));
}

/** Also succeeds when the invocation has ended by itself. */
export async function endInvocation(admin: Reach, id: string): Promise<void> {
  await unlessRefused(admin((url) => askEngine('PATCH', `${url}/invocations/${id}/kill`)));
}

/** Undefined when the engine refuses, as what it does not know. */
export async function unlessRefused<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (problem) {
    if (problem instanceof EngineRefusal) return undefined;
    throw problem;
  }
}

function stillQuery(names: readonly string[], own: string): string {
  return `select id, target_service_name as name, target_service_key as key,
      coalesce(pinned_deployment_id, last_attempt_deployment_id) as deployment
    from sys_invocation
    where target_service_name in (${names.map((name) => `'${name}'`).join(', ')})
      and status in ('running', 'backing-off')
      and coalesce(pinned_deployment_id, last_attempt_deployment_id) <> '${own}'
      and (retry_count > 1 or modified_at < now() - interval '${STILL_SECONDS} seconds')
    limit ${MOST_AT_ONCE}`;
}
