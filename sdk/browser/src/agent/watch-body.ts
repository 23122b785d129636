// The answer of a seller with a mark at its end: whoever reads it to there has what was paid for.

/** `ended` is called once, when the body was read to its end or the reader wants no more; not when it breaks off. */
export function watchBody(response: Response, ended: () => Promise<void>): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      await ended();
      controller.close();
    },
    async cancel(reason) {
      await ended();
      await reader.cancel(reason);
    },
  });
  const { status, statusText, headers, url } = response;
  const watched = new Response(body, { status, statusText, headers });
  Object.defineProperty(watched, 'url', { value: url });
  return watched;
}
