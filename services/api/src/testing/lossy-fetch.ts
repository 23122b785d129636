// A network that loses things, between a client and the real API: requests before they arrive, answers on their way back.

/** What becomes of one attempt. `abandoned`: the client hears nothing while the service is still at work. */
export const FATES = ['arrives', 'request lost', 'answer lost', 'abandoned', 'proxy answers'] as const;
export type Fate = (typeof FATES)[number];

export type LossyFetch = {
  readonly fetch: typeof fetch;
  readonly sent: { readonly method: string; readonly path: string; readonly key: string | null }[];
  /** Requests that the client gave up and the service did not. */
  readonly quiet: () => Promise<void>;
};

/** One fate per attempt, in order; after the last everything arrives. */
export function lossyFetch(fates: readonly Fate[] = []): LossyFetch {
  const sent: LossyFetch['sent'] = [];
  const abandoned: Promise<unknown>[] = [];
  return {
    sent,
    quiet: async () => void (await Promise.allSettled(abandoned)),
    fetch: async (input, init = {}) => {
      const fate = fates[sent.length] ?? 'arrives';
      sent.push({
        method: init.method ?? 'GET',
        path: new URL(input instanceof Request ? input.url : input).pathname,
        key: new Headers(init.headers).get('idempotency-key'),
      });
      if (fate === 'request lost') throw new TypeError('fetch failed');
      const answer = fetch(input, init);
      if (fate === 'arrives') return answer;
      const read = answer.then((response) => response.text());
      if (fate === 'abandoned') abandoned.push(read);
      else await read;
      if (fate === 'proxy answers') return new Response('<html>', { status: 502 });
      throw new TypeError('fetch failed');
    },
  };
}
