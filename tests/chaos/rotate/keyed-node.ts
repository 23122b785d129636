// A provider's node: its address carries a key, and a request with another one is refused.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type KeyedNode = {
  readonly urlWith: (key: string) => string;
  readonly accept: (keys: readonly string[]) => void;
  /** Requests that had no accepted key. */
  readonly refused: () => number;
  readonly close: () => void;
};

export async function startKeyedNode(chainUrl: string, first: string): Promise<KeyedNode> {
  let accepted: readonly string[] = [first];
  let refused = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const reply = async () => {
      if (!accepted.includes((request.url ?? '').slice(1))) {
        refused += 1;
        response.writeHead(401).end();
        return;
      }
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(chainUrl, { method: 'POST', headers, body: Buffer.concat(chunks) });
      response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
    };
    // A chain that is stopped while a reply is under way looks like a node that hangs up.
    request.on('end', () => void reply().catch(() => request.socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlWith: (key) => `http://127.0.0.1:${port}/${key}`,
    accept: (keys) => {
      accepted = keys;
    },
    refused: () => refused,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
