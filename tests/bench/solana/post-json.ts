// Requests over connections that stay open, cheap enough that the load is not what is measured.
import { Agent, request } from 'node:http';

type Answer = { readonly code: number; readonly body: string };
export type PostJson = (
  port: number,
  path: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Code 0 when the connection broke. */
export function createPostJson(connections: number): PostJson & { readonly end: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const post: PostJson = (port, path, body, headers = {}) =>
    new Promise((resolve) => {
      const sent = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          path,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve({ code: response.statusCode ?? 0, body: text }));
        },
      );
      sent.on('error', () => resolve({ code: 0, body: '' }));
      sent.end(body);
    });
  return Object.assign(post, { end: () => agent.destroy() });
}
