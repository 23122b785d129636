// What waits for a process that is gone. The engine keeps sending work to where it began, and holds the key meanwhile; so
// work that does not move, of a process that does not answer, is ended here. What it was about stands in the database.
import { askEngine } from './ask-engine.ts';
import { isAlive } from './is-alive.ts';
import { EngineRefusal, type Reach } from './reach.ts';

type Orphan = { readonly id: string; readonly name: string; readonly key: string };

export type Lost = {
  /** Processes that do not answer, by the id that the engine gave them. */
  readonly deployments: ReadonlySet<string>;
  readonly orphans: readonly Orphan[];
};

type Row = Orphan & { readonly deployment: string };

const STILL_SECONDS = 4;
const ANSWER_MS = 2_000;
const MOST_AT_ONCE = 500;

/** Of these services, apart from what `own` works at. Two signs are needed: the engine's, and silence when asked. */
export async function findLost(admin: Reach, names: readonly string[], own: string): Promise<Lost> {
  const { rows } = (await admin((url) => askEngine('POST', `${url}/query`, { query: stillQuery(names, own) }))) as {
    rows: readonly Row[];
  };
  const lost = new Set<string>();
  for (const deployment of new Set(rows.map((row) => row.deployment))) {
    const answer = await unlessRefused(admin((url) => askEngine('GET', `${url}/deployments/${deployment}`)));
    const { uri } = (answer ?? {}) as { uri?: string };
    if (uri === undefined || !(await isAlive(uri, ANSWER_MS))) lost.add(deployment);
  }
  return { deployments: lost, orphans: rows.filter(({ deployment }) => lost.has(deployment)) };
}

/** Also good when it has ended by itself. */
export async function endInvocation(admin: Reach, id: string): Promise<void> {
  await unlessRefused(admin((url) => askEngine('PATCH', `${url}/invocations/${id}/kill`)));
}

async function unlessRefused<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
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
