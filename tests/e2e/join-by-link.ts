// A person who joins by the link of an invitation, with a passkey in software, and asks as the console's page does.
import { createAuthenticator } from '@svc-pay/console/testing';

/** Sends a request to the console, as a browser at its origin. */
export type AskConsole = (
  path: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string },
) => Promise<Pick<Response, 'status' | 'headers' | 'text'>>;

export async function joinByLink(link: string, origin: string, ask: AskConsole) {
  let cookie = '';
  const send = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await ask(`/console/api${path}`, {
      method,
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { origin, 'x-svc-console': '1', 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie;
    return JSON.parse(text) as Record<string, unknown>;
  };
  const token = link.split('#')[1] ?? '';
  const passkey = createAuthenticator(origin);
  const { options } = await send('POST', '/invitations/accept/options', { token });
  const answer = passkey.register(options as Parameters<typeof passkey.register>[0]);
  await send('POST', '/invitations/accept/verify', { token, answer, passkeyName: 'Laptop' });
  return { get: (path: string) => send('GET', path) };
}
