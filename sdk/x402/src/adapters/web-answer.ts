// Answers as web-standard responses.
import type { HeaderList, HttpAnswer, RequestFacts } from '../protect/answer.ts';
import type { HandedAnswer } from '../protect/answer-store.ts';

export function factsOfRequest(request: Request): RequestFacts {
  return {
    method: request.method,
    url: request.url,
    header: (name) => request.headers.get(name) ?? undefined,
  };
}

/** Reads the body to its end, so that a stream that breaks is an error of the handler and nothing is charged. */
export async function answerOfResponse(response: Response): Promise<HttpAnswer> {
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: [...response.headers], body };
}

const BODILESS = new Set([101, 204, 205, 304]);

/**
 * As a stream, which tells whether it was read to its end. A response of some statuses can't be made with a body; one
 * without a body has arrived.
 */
export function bodyOf({ answer: { status, body }, arrived }: HandedAnswer): ReadableStream<Uint8Array> | null {
  if (BODILESS.has(status) || body.length === 0) {
    arrived(true);
    return null;
  }
  let isGiven = false;
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (!isGiven) {
          isGiven = true;
          controller.enqueue(new Uint8Array(body));
          return;
        }
        controller.close();
        arrived(true);
      },
      cancel: () => arrived(false),
    },
    { highWaterMark: 0 },
  );
}

export function responseOf(handed: HandedAnswer): Response {
  const { status, headers: given } = handed.answer;
  const headers = new Headers();
  for (const [name, value] of given) headers.append(name, value);
  return new Response(bodyOf(handed), { status, headers });
}

export function headerRecord(headers: HeaderList): Record<string, string | string[]> {
  const names = new Set(headers.map(([name]) => name));
  const valuesOf = (name: string) => headers.filter(([one]) => one === name).map(([, value]) => value);
  return Object.fromEntries([...names].map((name) => [name, valuesOf(name)]));
}
