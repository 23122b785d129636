// Server-sent events as the HTML standard frames them.

export type StreamEvent = {
  readonly event: 'payment_intent_update' | 'terminal';
  /** JSON, so without a line break. */
  readonly data: string;
  /** Sent back as `Last-Event-ID` when the client connects again. */
  readonly id?: string;
};

export function frameOf({ event, data, id }: StreamEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}

/** A comment: no event for the client, but life for every proxy in between. */
export const HEARTBEAT = ': still here\n\n';

/** First in every stream: how long a client waits before it connects again. */
export function retryFrame(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}
