// Server-sent events, framed as in the HTML standard.

export type StreamEvent = {
  readonly event: 'payment_intent_update' | 'terminal';
  /** JSON, which contains no line break. */
  readonly data: string;
  /** The client sends it back as `Last-Event-ID` when it reconnects. */
  readonly id?: string;
};

export function frameOf({ event, data, id }: StreamEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}

/** Comment line: no event for the client, but it keeps the connection alive in proxies. */
export const HEARTBEAT = ': still here\n\n';

/** First frame of every stream: time that a client waits before it reconnects. */
export function retryFrame(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}
