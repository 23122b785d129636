// Posts one body over connections that stay open. Plain HTTP of Node: a request of `fetch` takes several times the CPU.
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { hasTooManyValues } from './json-density.ts';

export type PostAnswer = { readonly status: number; readonly text: string };

/** Shorter than what servers allow, so that no request goes out over a connection that is about to be closed. */
const IDLE_MS = 4_000;
// With NODE_USE_ENV_PROXY Node gives its own agents the proxy of the environment, as it gives `fetch`, and no other agent.
const AGENTS = {
  http: new http.Agent({ keepAlive: true, timeout: IDLE_MS, ...proxyOf(http.globalAgent) }),
  https: new https.Agent({ keepAlive: true, timeout: IDLE_MS, ...proxyOf(https.globalAgent) }),
};

export type PostOptions = {
  readonly timeoutMs: number;
  /** A longer answer is not read further and fails the request: a node may send without an end. Counted unpacked. */
  readonly mostBytes: number;
};

export const TIMEOUT = 'TimeoutError';
export const ANSWER_TOO_LONG = 'AnswerTooLong';
const TOO_MANY_VALUES = 'AnswerHasTooManyValues';
const CUT_OFF = 'AnswerCutOff';

/** Throws when no whole answer came, with a name or a code that tells why. A redirection is an answer and is not followed. */
export function postBody(url: string, body: string, { timeoutMs, mostBytes }: PostOptions): Promise<PostAnswer> {
  return new Promise((resolve, reject) => {
    const isPlain = url.startsWith('http:');
    const sent = (isPlain ? http : https).request(url, {
      agent: isPlain ? AGENTS.http : AGENTS.https,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'accept-encoding': 'gzip',
        accept: '*/*',
        // Some providers refuse a request that names no client.
        'user-agent': 'SVC-Pay/1',
      },
    });
    let unpacked: Readable | undefined;
    const fail = (problem: Error) => {
      clearTimeout(timer);
      sent.destroy();
      unpacked?.destroy();
      reject(problem);
    };
    const timer = setTimeout(() => fail(named(TIMEOUT)), timeoutMs);
    sent.on('error', fail);
    sent.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const content = unpack(response);
      unpacked = content;
      response.on('error', fail);
      if (content !== response) content.on('error', fail);
      content.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) fail(named(ANSWER_TOO_LONG));
        else chunks.push(chunk);
      });
      content.on('end', () => {
        // What follows a packed answer would be read without an end.
        if (!response.complete) return fail(named(CUT_OFF));
        const answer = Buffer.concat(chunks);
        if (hasTooManyValues(answer)) return fail(named(TOO_MANY_VALUES));
        clearTimeout(timer);
        // A server that answers before it has read the request, or sends on behind a packed answer, would keep the connection for good.
        if (!sent.writableFinished || !response.readableEnded) sent.destroy();
        resolve({ status, text: answer.toString() });
      });
      response.on('close', () => {
        if (!response.complete) fail(named(CUT_OFF));
      });
    });
    sent.end(body);
  });
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function unpack(response: http.IncomingMessage): Readable {
  return response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response;
}

function proxyOf(agent: http.Agent): Pick<http.AgentOptions, 'proxyEnv'> {
  // `options` is not in the types.
  const { proxyEnv } = (agent as http.Agent & { readonly options: http.AgentOptions }).options;
  return proxyEnv === undefined ? {} : { proxyEnv };
}

/** The name alone reaches logs: a message may hold the address with a provider's key. */
const named = (name: string) => Object.assign(new Error(name), { name });
