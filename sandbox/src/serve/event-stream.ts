// Server-sent events from polling: sends every state that differs from the previous one. Keeps no state between two
// streams.
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Following<Seen> = {
  readonly read: () => Promise<Seen>;
  /** Time until the next read, depending on the last state. */
  readonly pauseMs: (seen: Seen) => number;
  /** Calls `wake` to read immediately; ends with the signal. */
  readonly listen?: (wake: () => void, signal: AbortSignal) => void;
};

export async function streamStates<Seen>(
  request: FastifyRequest,
  reply: FastifyReply,
  { read, pauseMs, listen }: Following<Seen>,
): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('retry: 1000\n\n');
  const gone = new AbortController();
  request.raw.once('close', () => gone.abort());
  let wake = () => {};
  listen?.(() => wake(), gone.signal);
  let sent = '';
  while (!gone.signal.aborted) {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    let pause = 1_000;
    try {
      const seen = await read();
      const text = JSON.stringify(seen);
      if (text !== sent) response.write(`data: ${text}\n\n`);
      sent = text;
      pause = pauseMs(seen);
    } catch {
      // The source is down or stopping; the next read tries again.
    }
    const timer = setTimeout(resolve, pause);
    gone.signal.addEventListener('abort', () => resolve(), { once: true });
    await woken;
    clearTimeout(timer);
  }
  response.end();
}
