// A lossy network between a client and the real API: loses requests on the way there and answers on the way back.

/** Faults of one attempt. `abandoned`: the client gives up while the service is still working. */
export const REQUEST_FAULTS = ['arrives', 'request lost', 'answer lost', 'abandoned', 'proxy answers'] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

export type LossyFetch = {
  readonly fetch: typeof fetch;
  readonly sent: { readonly method: string; readonly path: string; readonly key: string | null }[];
  /** Resolves when requests that the client abandoned have ended in the service. */
  readonly quiet: () => Promise<void>;
};

/** Applies one fault per attempt, in order; after the last one every request arrives. */
export function lossyFetch(faults: readonly RequestFault[] = []): LossyFetch {
  const sent: LossyFetch['sent'] = [];
  const abandoned: Promise<unknown>[] = [];
  return {
    sent,
    quiet: async () => void (await Promise.allSettled(abandoned)),
    fetch: async (input, init = {}) => {
      const fault = faults[sent.length] ?? 'arrives';
      sent.push({
        method: init.method ?? 'GET',
        path: new URL(input instanceof Request ? input.url : input).pathname,
        key: new Headers(init.headers).get('idempotency-key'),
      });
      if (fault === 'request lost') throw new TypeError('fetch failed');
      const answer = fetch(input, init);
      if (fault === 'arrives') return answer;
      const read = answer.then((response) => response.text());
      if (fault === 'abandoned') abandoned.push(read);
      else await read;
      if (fault === 'proxy answers') return new Response('<html>', { status: 502 });
      throw new TypeError('fetch failed');
    },
  };
}
