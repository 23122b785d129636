import { EngineRefusal } from './reach.ts';

const REQUEST_TIMEOUT_MS = 3_000;

/** Returns the JSON of the answer, undefined for an empty one. Throws when the node is out of reach or refuses. */
export async function askEngine(method: 'GET' | 'POST' | 'PATCH', url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
  const problem = `the engine answered ${response.status}`;
  throw response.status < 500 ? new EngineRefusal(problem) : new Error(problem);
}
