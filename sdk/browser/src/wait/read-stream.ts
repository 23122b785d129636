// Server-sent events, as far as the service uses them. Never throws and never outlives its signal.
import { childOf, untilAborted } from '../http/race.ts';
import type { Service } from '../http/service.ts';
import type { Ports } from '../ports.ts';

/** The service says something, if only a comment, every 15 seconds. */
const LONGEST_SILENCE_MS = 45_000;
/** No event of an intent is this long; a flood is not held. */
const MAX_FRAME_CHARACTERS = 256 * 1_024;

export type StreamEnd =
  /** It worked and ended; another may be opened. */
  | 'ended'
  /** It could not be opened, or broke without a word. */
  | 'broken'
  /** There is no stream here. */
  | 'refused';

export type StreamParts = {
  readonly ports: Ports;
  readonly service: Service;
  readonly paymentIntentId: string;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  /** Parsed data of one event. */
  readonly onData: (data: unknown) => void;
};

export async function readStream(parts: StreamParts): Promise<StreamEnd> {
  const { controller, release } = childOf(parts.signal);
  try {
    return await readUntil(parts, controller);
  } catch {
    return 'broken';
  } finally {
    release();
    controller.abort();
  }
}

async function readUntil({ ports, service, ...parts }: StreamParts, controller: AbortController): Promise<StreamEnd> {
  const { signal } = controller;
  const patiently = async <Value>(promise: Promise<Value>): Promise<Value | undefined> => {
    const { controller: timer, release } = childOf(signal);
    void ports.sleep(LONGEST_SILENCE_MS, timer.signal).then(() => timer.abort());
    try {
      return await untilAborted(promise, timer.signal);
    } finally {
      release();
      timer.abort();
    }
  };
  const response = await patiently(service.openStream(parts.paymentIntentId, signal));
  if (response === undefined) return 'broken';
  if (response.status === 204 || (response.status >= 400 && response.status < 500)) return 'refused';
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (response.status !== 200 || !isStream || response.body === null) return 'broken';
  parts.onOpen();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  let heard = false;
  while (!signal.aborted) {
    const chunk = await patiently(reader.read());
    if (chunk === undefined || chunk.done) break;
    heard = true;
    const frames = (pending + decoder.decode(chunk.value, { stream: true })).split(/\r?\n\r?\n/);
    pending = frames.pop() ?? '';
    if (pending.length > MAX_FRAME_CHARACTERS) break;
    for (const frame of frames) {
      const data = dataOf(frame);
      if (data !== undefined) parts.onData(data);
    }
  }
  return heard ? 'ended' : 'broken';
}

function dataOf(frame: string): unknown {
  const data = frame
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
    .join('\n');
  if (data === '') return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
