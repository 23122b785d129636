// An event stream that is opened and held, over a plain socket: thousands of them cost the holder nothing.
import net from 'node:net';

export type HeldStream = {
  /** Status of the answer; 0 when there was none. */
  readonly http: number;
  readonly end: () => void;
};

const PATIENCE_MS = 10_000;

export function holdStream(apiUrl: string, path: string, address: string): Promise<HeldStream> {
  const { hostname, port } = new URL(apiUrl);
  return new Promise((resolve) => {
    const socket = net.connect(Number.parseInt(port, 10), hostname);
    const told = (http: number) => {
      clearTimeout(timer);
      if (http !== 200) socket.destroy();
      resolve({ http, end: () => void socket.destroy() });
    };
    const timer = setTimeout(() => told(0), PATIENCE_MS);
    socket.once('connect', () => {
      const lines = [`GET ${path} HTTP/1.1`, 'host: api', 'accept: text/event-stream', `x-forwarded-for: ${address}`];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    });
    socket.once('data', (head) => told(Number.parseInt(head.toString('latin1', 9, 12), 10)));
    socket.on('data', () => {});
    socket.on('error', () => told(0));
    socket.on('close', () => told(0));
  });
}
