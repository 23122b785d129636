// One keep-alive connection, one request at a time, over a plain socket: cheap enough that the load is not what is measured.
import net from 'node:net';
import { answerLength } from '../intents/load.ts';

export type Connection = {
  /** Status line's code and the body; code 0 when the connection broke. */
  readonly ask: (request: Buffer) => Promise<{ readonly code: number; readonly body: string }>;
  readonly end: () => void;
};

const BROKEN = { code: 0, body: '' };

export function openConnection(port: number): Connection {
  let socket: net.Socket | undefined;
  let received = Buffer.alloc(0);
  let resolve: ((answer: { code: number; body: string }) => void) | undefined;
  const tell = (answer: { code: number; body: string }) => {
    const told = resolve;
    resolve = undefined;
    told?.(answer);
  };
  const open = () => {
    const opened = net.connect(port, '127.0.0.1').setNoDelay(true);
    received = Buffer.alloc(0);
    opened.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = answerLength(received);
      if (length === undefined || received.length < length) return;
      const text = received.toString('utf8', 0, length);
      received = received.subarray(length);
      tell({ code: Number.parseInt(text.slice(9, 12), 10), body: text.slice(text.indexOf('\r\n\r\n') + 4) });
    });
    opened.on('error', () => {});
    opened.on('close', () => {
      if (socket === opened) socket = undefined;
      tell(BROKEN);
    });
    return opened;
  };
  return {
    ask: (request) =>
      new Promise((told) => {
        resolve = told;
        socket ??= open();
        socket.write(request);
      }),
    end: () => socket?.destroy(),
  };
}
