// Calls to the recorder, and through it to the provider. Providers limit requests: a refused one is repeated after a pause.
import { setTimeout as sleep } from 'node:timers/promises';

export type NodeCall = { readonly method: string; readonly params: readonly unknown[] };
export type AskProvider = (calls: readonly NodeCall[]) => Promise<readonly unknown[]>;

/** What a node answered can't be used. The message names no URL. */
export class NodeUnusable extends Error {
  override readonly name = 'NodeUnusable';
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const TIMEOUT_MS = 40_000;

/** The call itself is wrong or reverts. Other refusals pass: a node behind the others has no such block yet. */
const FINAL_CODES: ReadonlySet<unknown> = new Set([3, -32_600, -32_601, -32_602]);

type Entry = { readonly id?: unknown; readonly result?: unknown; readonly error?: { readonly code?: unknown } | null };

export function askNodeAt(url: string, stopping?: AbortSignal): AskProvider {
  return async (calls) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await askOnce(url, calls, stopping);
      if (answer.ok) return answer.results;
      if (!answer.again || attempt >= ATTEMPTS || stopping?.aborted === true) throw new NodeUnusable(answer.problem);
      const pauseMs = Math.max(answer.pauseMs, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      await sleep(Math.min(pauseMs, LONGEST_PAUSE_MS), undefined, { signal: stopping }).catch(() => {});
    }
  };
}

type Answer =
  | { readonly ok: true; readonly results: readonly unknown[] }
  | { readonly ok: false; readonly again: boolean; readonly pauseMs: number; readonly problem: string };

async function askOnce(url: string, calls: readonly NodeCall[], stopping: AbortSignal | undefined): Promise<Answer> {
  const methods = [...new Set(calls.map(({ method }) => method))].join(', ');
  const refused = (problem: string, again: boolean, pauseMs = 0): Answer => ({ ok: false, again, pauseMs, problem });
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(stopping ? [stopping] : [])]),
    });
    body = await response.json();
  } catch {
    return refused(`the node does not answer ${methods}`, true);
  }
  const again = response.status === 429 || response.status >= 500;
  const pauseSeconds = Number.parseInt(response.headers.get('retry-after') ?? '0', 10);
  if (!response.ok || !Array.isArray(body))
    return refused(`the node answers ${methods} with HTTP status ${response.status}`, again, pauseSeconds * 1_000);
  const results: unknown[] = [];
  for (const [id, { method }] of calls.entries()) {
    const entry = (body as readonly Entry[]).find((one) => one.id === id);
    if (entry === undefined) return refused(`the node leaves ${method} without an answer`, true);
    if (entry.error !== undefined && entry.error !== null)
      return refused(
        `the node refuses ${method} with code ${String(entry.error.code)}`,
        !FINAL_CODES.has(entry.error.code),
      );
    results.push(entry.result);
  }
  return { ok: true, results };
}
