// Minimal JSON-RPC client for a few calls to a chain. Errors are returned as text without the URL, which may contain a
// key.

export type ProbeAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly reason: string };

/** Calls to one URL. */
export type Ask = (method: string, ...parameters: readonly unknown[]) => Promise<ProbeAnswer>;

const MAX_ANSWER_CHARACTERS = 1_000_000;

export async function askChain(
  url: string,
  method: string,
  parameters: readonly unknown[],
  timeoutMs: number,
): Promise<ProbeAnswer> {
  try {
    const { address, headers } = withoutCredentials(url);
    const response = await fetch(address, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: parameters }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
    if (!response.ok) return { ok: false, reason: `answers with HTTP status ${response.status}` };
    const text = await response.text();
    if (text.length > MAX_ANSWER_CHARACTERS) return { ok: false, reason: 'answers with far too much' };
    return answerOf(JSON.parse(text));
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === 'TimeoutError') {
      return { ok: false, reason: `does not answer within ${timeoutMs} ms` };
    }
    return { ok: false, reason: problem instanceof SyntaxError ? 'does not answer in JSON' : 'can’t be reached' };
  }
}

function answerOf(body: unknown): ProbeAnswer {
  if (typeof body !== 'object' || body === null) return { ok: false, reason: 'does not speak JSON-RPC' };
  if ('error' in body && body.error !== null && body.error !== undefined) {
    const code = (body.error as { code?: unknown }).code;
    return { ok: false, reason: `refuses with code ${typeof code === 'number' ? code : 'none'}` };
  }
  return 'result' in body ? { ok: true, result: body.result } : { ok: false, reason: 'does not speak JSON-RPC' };
}

/** `fetch` refuses URLs with credentials, so they are sent in a header. */
function withoutCredentials(url: string): { address: string; headers: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  address.username = '';
  address.password = '';
  if (username === '' && password === '') return { address: address.href, headers: {} };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address: address.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

/** Only the host of an RPC URL may be shown: user, path and query may be keys. */
export function shownHost(url: string): string {
  return new URL(url).host;
}
