// Stands between a seller and its facilitator as a load balancer does, and loses or replaces answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** `lost`: the connection ends without an answer, after the facilitator has given it. A number: that status instead. */
type ProxyFault = 'lost' | number;

export type FaultProxy = {
  readonly url: string;
  /** Meets the next answer to that path. */
  readonly faultNext: (path: '/verify' | '/settle', fault: ProxyFault) => void;
  readonly stop: () => void;
};

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const faults = new Map<string, ProxyFault>();
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    const body = await buffer(request);
    const answer = await fetch(`${target}${path}`, {
      method: request.method ?? 'GET',
      headers: {
        'content-type': 'application/json',
        ...(request.headers.authorization && { authorization: request.headers.authorization }),
      },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    const fault = faults.get(path);
    faults.delete(path);
    if (fault === 'lost') response.destroy();
    else if (fault !== undefined)
      response.writeHead(fault, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    pass(request, response).catch((problem: unknown) => {
      response.destroy(problem instanceof Error ? problem : new Error(String(problem)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faultNext: (path, fault) => {
      faults.set(path, fault);
    },
    stop: () => {
      server.close().closeAllConnections();
    },
  };
}
