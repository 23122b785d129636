// Server-sent events about something that is read again and again: the reader sees every state that differs from the one
// before. Nothing is remembered between two streams.
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Following<Seen> = {
  readonly read: () => Promise<Seen>;
  /** How long to wait before reading again, going by what was read. */
  readonly pauseMs: (seen: Seen) => number;
  /** Calls back when it is worth reading at once; ends with the signal. */
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
      // Whoever is read from is away, or stopping; the next look will tell.
    }
    const timer = setTimeout(resolve, pause);
    gone.signal.addEventListener('abort', () => resolve(), { once: true });
    await woken;
    clearTimeout(timer);
  }
  response.end();
}
