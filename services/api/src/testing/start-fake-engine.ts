// Fake engine: records which lanes are woken, and can be set to refuse.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterwards } from './afterwards.ts';

export type FakeEngine = {
  readonly url: string;
  /** Paths of the POST requests. */
  readonly heard: string[];
  deaf: boolean;
};

export async function startFakeEngine(): Promise<FakeEngine> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.writeHead(engine.deaf ? 500 : 202).end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  afterwards(() => {
    server.closeAllConnections();
    server.close();
  });
  const engine: FakeEngine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    deaf: false,
  };
  return engine;
}
