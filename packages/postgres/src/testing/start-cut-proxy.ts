// Forwards connections to PostgreSQL and breaks one at a chosen moment, as a network does.
import net from 'node:net';
import { afterwards } from './afterwards.ts';

export type CutProxy = {
  /** The database's URL through the proxy. */
  readonly url: string;
  /**
   * Breaks the connection of the next request that contains `text`: `sent` as soon as the server has the request, `answered`
   * when the server has answered, before the client sees it. The server goes on. Resolves when it is broken.
   */
  readonly cutNext: (text: string, when: 'sent' | 'answered') => Promise<void>;
};

/** Time for the rest of a request to arrive. */
const REST_MS = 50;

export async function startCutProxy(url: string): Promise<CutProxy> {
  const target = new URL(url);
  const sockets = new Set<net.Socket>();
  let cut: { text: string; when: 'sent' | 'answered'; done: () => void } | undefined;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let armed: (() => void) | undefined;
    let isMute = false;
    const breakOff = (done: () => void) => {
      client.destroy();
      // The server finds out when it answers. Until then its statement runs.
      setTimeout(() => upstream.destroy(), 5_000).unref();
      done();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (data) => {
      upstream.write(data);
      if (cut === undefined || !data.includes(cut.text)) return;
      const { when, done } = cut;
      cut = undefined;
      if (when === 'answered') armed = done;
      else {
        // A large request comes in several pieces, and the server must have all of them.
        isMute = true;
        setTimeout(() => breakOff(done), REST_MS);
      }
    });
    upstream.on('data', (data) => {
      if (client.destroyed || isMute) return;
      if (armed === undefined) client.write(data);
      else breakOff(armed);
    });
    client.on('end', () => upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as net.AddressInfo).port);
  return {
    url: through.href,
    cutNext: (text, when) => new Promise((done) => (cut = { text, when, done })),
  };
}
