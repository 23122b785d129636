// HTTP proxy between a client and the API; the test plants a fault before a request is passed on, or holds it.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ApiProxy = {
  readonly url: string;
  /** Called with `METHOD path?query` before each request is passed on; one that never resolves holds it. */
  readonly before: (hook: (line: string) => Promise<void> | void) => void;
  readonly close: () => void;
};

export async function startApiProxy(apiUrl: string): Promise<ApiProxy> {
  let hook: (line: string) => Promise<void> | void = () => {};
  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const pass = () => {
      const outgoing = request(`${apiUrl}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      response.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    };
    void Promise.resolve(hook(`${method} ${url}`)).then(pass, () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    before: (next) => {
      hook = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
