// Of several processes that serve the same work, the engine calls the one that registered last. Another that hears nothing
// is then not forgotten, only not called: it steps in when the one that is called can't be reached.
import { connect } from 'node:net';

const REQUEST_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 1_000;

/** Whether the engine calls somebody else for it, who is there. */
export async function isServedElsewhere(adminUrl: string, service: string, ownUrl: string): Promise<boolean> {
  const { deployment_id: id } = await ask<{ deployment_id: string }>(`${adminUrl}/services/${service}`);
  const { uri } = await ask<{ uri?: string }>(`${adminUrl}/deployments/${id}`);
  if (uri === undefined || new URL(uri).href === new URL(ownUrl).href) return false;
  return isReachable(new URL(uri));
}

async function ask<Answer>(url: string): Promise<Answer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the engine answered ${response.status}`);
  return (await response.json()) as Answer;
}

export function isReachable({ hostname, port, protocol }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const usual = protocol === 'https:' ? '443' : '80';
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number.parseInt(port === '' ? usual : port, 10),
    });
    const end = (reachable: boolean) => {
      socket.destroy();
      resolve(reachable);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
