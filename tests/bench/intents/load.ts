// A load of keep-alive connections over plain sockets: cheap enough that the generator is not what is measured.
import net from 'node:net';

export type Target = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type LoadResult = { readonly perSecond: number; readonly answers: number; readonly unexpected: number };

/** Sends the same body over `connections` sockets, one request at a time each, for a bounded time. */
export async function load(
  target: Target,
  body: string,
  expectedStatus: number,
  connections: number,
  milliseconds: number,
): Promise<LoadResult> {
  const request = requestBytes(target, body);
  const deadlineMs = performance.now() + milliseconds;
  const startMs = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => converse(target.port, request, expectedStatus, deadlineMs)),
  );
  const seconds = (performance.now() - startMs) / 1_000;
  const answers = counts.reduce((total, { answers: count }) => total + count, 0);
  return {
    perSecond: answers / seconds,
    answers,
    unexpected: counts.reduce((total, count) => total + count.unexpected, 0),
  };
}

function requestBytes({ path, headers }: Target, body: string): Buffer {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function converse(port: number, request: Buffer, expectedStatus: number, deadlineMs: number) {
  return new Promise<{ answers: number; unexpected: number }>((resolve, reject) => {
    const counts = { answers: 0, unexpected: 0 };
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
    let received = Buffer.alloc(0);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = answerLength(received);
      if (length === undefined || received.length < length) return;
      counts.answers += 1;
      if (!received.subarray(9, 12).equals(Buffer.from(String(expectedStatus)))) counts.unexpected += 1;
      received = received.subarray(length);
      if (performance.now() < deadlineMs) socket.write(request);
      else socket.end();
    });
    socket.on('close', () => resolve(counts));
    socket.on('error', reject);
  });
}

/** Whole length of the answer at the beginning of the buffer; undefined while its head is incomplete. */
export function answerLength(received: Buffer): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const match = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, headEnd));
  if (match === null) throw new Error('an answer without a length');
  return headEnd + 4 + Number.parseInt(match[1] ?? '', 10);
}
