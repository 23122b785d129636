// Fake settlement service: records the requests, and answers as the test sets.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

type Heard = { readonly authorization: string | undefined; readonly actor: unknown; readonly body: unknown };

export type FakeSettlement = {
  readonly url: string;
  readonly heard: Heard[];
  /** Undefined closes the connection without an answer. */
  answer: (body: { paymentIntentId: string; settledAmount: string }) => Promise<object | undefined>;
};

export async function startFakeSettlement(): Promise<FakeSettlement> {
  const heard: Heard[] = [];
  const hear = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text);
    const { authorization, 'x-svc-actor': actor } = request.headers;
    heard.push({ authorization, actor, body });
    const answer = await fake.answer(body);
    if (answer === undefined) request.socket.destroy();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  };
  const server = createServer((request, response) => void hear(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const fake: FakeSettlement = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    answer: async () => ({ error: 'upto_not_confirmed' }),
  };
  return fake;
}
