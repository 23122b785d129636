// Keeps back what a handler writes to a Node response, until it is known whether it may leave. Everything that a framework
// sends passes through these methods, streams included.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { HeaderList, HttpAnswer } from '../protect/answer.ts';

export type CapturedResponse = {
  /** Resolves when the handler has ended its answer; rejects when it never will. */
  readonly answer: Promise<HttpAnswer>;
  /** From here on the response writes to the connection again. */
  readonly restore: () => void;
};

type Done = (error?: Error | null) => void;

const CAPTURED = ['writeHead', 'write', 'end', 'destroy', 'flushHeaders', 'headersSent', 'writableEnded'] as const;
/** As long as an answer is kept. A buyer who hangs up pays for a handler that works on. */
const AFTER_CLOSE_MS = 600_000;

export function captureResponse(response: ServerResponse): CapturedResponse {
  // Middleware before this one may have methods of its own on the response.
  const own = CAPTURED.map((name) => [name, Object.getOwnPropertyDescriptor(response, name)] as const);
  let resolveAnswer: (answer: HttpAnswer) => void = () => {};
  let rejectAnswer: (error: Error) => void = () => {};
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    [resolveAnswer, rejectAnswer] = [resolve, reject];
  });
  const chunks: Uint8Array[] = [];
  let isEnded = false;

  const take = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encodingOf(encoding)));
    else if (chunk instanceof Uint8Array) chunks.push(Uint8Array.from(chunk));
  };
  const doneOf = (given: readonly unknown[]) => given.find((one): one is Done => typeof one === 'function');

  response.flushHeaders = () => {};
  response.writeHead = (status: number, ...given: unknown[]) => {
    response.statusCode = status;
    for (const one of given) {
      if (typeof one === 'string') response.statusMessage = one;
      else if (typeof one === 'object' && one !== null) setHeaders(response, one);
    }
    return response;
  };
  response.write = (chunk: unknown, ...given: unknown[]) => {
    if (!isEnded) take(chunk, given[0]);
    const done = doneOf(given);
    if (done !== undefined) queueMicrotask(() => done());
    return true;
  };
  response.end = (...given: unknown[]) => {
    if (isEnded) return response;
    isEnded = true;
    take(given[0], given[1]);
    const done = doneOf(given);
    if (done !== undefined) response.once('finish', () => done());
    resolveAnswer({ status: response.statusCode, headers: headersOf(response), body: joined(chunks) });
    return response;
  };
  const giveUp = () => rejectAnswer(new Error('the handler did not end its answer'));
  const giveUpLater = () => {
    if (isEnded) return;
    const timer = setTimeout(giveUp, AFTER_CLOSE_MS).unref();
    void answer.finally(() => clearTimeout(timer)).catch(() => {});
  };
  response.destroy = (error?: Error) => {
    if (!isEnded) giveUp();
    Reflect.deleteProperty(response, 'destroy');
    return response.destroy(error);
  };
  // A handler may end its answer after the buyer has gone, and then it is kept; a stream into the response may never end it.
  if (response.destroyed) giveUpLater();
  else response.once('close', giveUpLater);
  // Frameworks ask these before they answer a second time.
  const getter = { configurable: true, get: () => isEnded };
  Object.defineProperties(response, { headersSent: getter, writableEnded: getter });

  return {
    answer,
    restore: () => {
      for (const [name, property] of own) {
        Reflect.deleteProperty(response, name);
        if (property !== undefined) Object.defineProperty(response, name, property);
      }
    },
  };
}

/** Headers that are set on a response. Those that belong to the connection are Node's to write. */
export function headersOf(response: ServerResponse): HeaderList {
  return Object.entries(response.getHeaders()).flatMap(([name, value = '']) =>
    name === 'transfer-encoding' || name === 'connection'
      ? []
      : (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as const),
  );
}

/** Tells whether what is sent next left to its end: `finish` before `close`. */
export function whenSent(response: ServerResponse, sent: (whole: boolean) => void): void {
  if (response.destroyed) return sent(false);
  let isTold = false;
  const tell = (whole: boolean) => () => {
    if (!isTold) sent(whole);
    isTold = true;
  };
  response.once('finish', tell(true)).once('close', tell(false));
}

/** Sends an answer in place of whatever was set before. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.statusCode = status;
  for (const name of new Set(headers.map(([one]) => one))) {
    const values = headers.filter(([one]) => one === name).map(([, value]) => value);
    response.setHeader(name, values.length === 1 ? values.join('') : values);
  }
  response.end(body.length === 0 ? undefined : body);
}

/** An object, or a flat list of names and values. */
function setHeaders(response: ServerResponse, headers: object): void {
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers as OutgoingHttpHeaders))
      if (value !== undefined) response.setHeader(name, value);
    return;
  }
  for (let index = 0; index + 1 < headers.length; index += 2) response.setHeader(headers[index], headers[index + 1]);
}

const encodingOf = (encoding: unknown) => (typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(chunks));
}
