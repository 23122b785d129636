const REQUEST_TIMEOUT_MS = 5_000;

/** Throws when the engine is out of reach or refuses. */
export async function post(url: string, body?: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the engine answered ${response.status}`);
}
