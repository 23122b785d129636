// Reads server-sent events as the HTML standard specifies for browsers.

type ReceivedEvent = { readonly event: string; readonly data: string; readonly lastEventId: string };

export type EventReader = {
  readonly response: Response;
  /** Next event; undefined if the stream has ended. Rejects if none comes in time. */
  readonly next: (withinMs?: number) => Promise<ReceivedEvent | undefined>;
  /** Number of comments seen so far. */
  readonly comments: () => number;
  readonly close: () => Promise<void>;
};

export async function readEvents(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const aborter = new AbortController();
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: aborter.signal });
  const queue: ReceivedEvent[] = [];
  const state = { ended: false };
  let comments = 0;
  let wake: () => void = () => {};

  const reading = (async () => {
    let rest = '';
    let fields = { event: 'message', data: [] as string[] };
    let lastEventId = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
        if (line === '') {
          if (fields.data.length > 0) queue.push({ event: fields.event, data: fields.data.join('\n'), lastEventId });
          fields = { event: 'message', data: [] };
          wake();
        } else if (line.startsWith(':')) comments += 1;
        else if (name === 'event') fields.event = value;
        else if (name === 'data') fields.data.push(value);
        else if (name === 'id') lastEventId = value;
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      state.ended = true;
      wake();
    });

  return {
    response,
    comments: () => comments,
    async next(withinMs = 5_000) {
      const deadline = performance.now() + withinMs;
      while (queue.length === 0 && !state.ended) {
        const leftMs = deadline - performance.now();
        if (leftMs <= 0) throw new Error(`no event within ${withinMs} ms`);
        const woken = Promise.withResolvers<void>();
        wake = woken.resolve;
        const timer = setTimeout(woken.resolve, leftMs);
        await woken.promise;
        clearTimeout(timer);
      }
      return queue.shift();
    },
    async close() {
      aborter.abort();
      await reading;
    },
  };
}
