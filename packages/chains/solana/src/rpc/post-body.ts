// Posts one body over connections that stay open. Plain HTTP of Node: a request of `fetch` takes several times the CPU.
import http from 'node:http';
import https from 'node:https';

/** `text` is empty for a status that is no success: nobody reads it. */
type PostAnswer = { readonly status: number; readonly text: string };

/** Shorter than what servers allow, so that no request goes out over a connection that is about to be closed. */
const IDLE_MS = 4_000;
const AGENTS = {
  http: new http.Agent({ keepAlive: true, timeout: IDLE_MS }),
  https: new https.Agent({ keepAlive: true, timeout: IDLE_MS }),
};

type PostOptions = {
  readonly timeoutMs: number;
  /** A longer answer is not read further and fails the request: a node may send without an end. */
  readonly mostBytes: number;
};

/** Throws when no whole answer came. A redirection is an answer and is not followed. */
export function postBody(url: string, body: string, { timeoutMs, mostBytes }: PostOptions): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const isPlain = url.startsWith('http:');
    const sent = (isPlain ? http : https).request(url, {
      agent: isPlain ? AGENTS.http : AGENTS.https,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    const fail = (problem: Error) => {
      clearTimeout(timer);
      sent.destroy();
      reject(problem);
    };
    const timer = setTimeout(() => fail(named('TimeoutError')), timeoutMs);
    sent.on('error', fail);
    sent.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('error', fail);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) fail(named('AnswerTooLong'));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status, text: isSuccess(status) ? Buffer.concat(chunks).toString() : '' });
      });
      response.on('close', () => {
        if (!response.complete) fail(named('AnswerCutOff'));
      });
    });
    sent.end(body);
  });
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The name alone reaches logs: a message may hold the address with a provider's key. */
const named = (name: string) => Object.assign(new Error(name), { name });
