// A local RPC node that passes requests on to a provider and records them with their answers, except for those that repeat the
// last answer. The URL of the provider, which may contain a key, is in neither.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { type Exchange, keyOfCalls, type RecordedAnswer, type RecordingHead } from './recording.ts';
import { providerOf, redactionOf, withoutAddresses } from './redact.ts';
import {
  type Asked,
  type AskedCall,
  bodyOfAnswers,
  type ListenAddress,
  type RpcHttpAnswer,
  type RpcReply,
  type RpcServer,
  serveRpc,
} from './serve-rpc.ts';

export type RecorderOptions = {
  /** URL of the provider. */
  readonly upstream: string;
  /** CAIP-2. */
  readonly network: string;
  /** Created with mode 600; must not exist. */
  readonly file: string;
  /** ISO 8601. */
  readonly recordedAt: string;
  /** Any free port of loopback when left out. */
  readonly listen?: ListenAddress | undefined;
  readonly timeoutMs?: number;
  /** Requests whose last answer is known, to leave repeats out. */
  readonly maxKnown?: number;
  /** A larger answer is passed on as none. */
  readonly maxAnswerBytes?: number;
};

export type RpcRecorder = RpcServer & {
  /** Requests that were recorded, and those that were not because the same answer came before. */
  readonly counts: () => { readonly recorded: number; readonly repeated: number };
};

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Requests whose last answer is known. One that is forgotten is recorded once more than needed. */
const MAX_KNOWN = 20_000;
/** What a chain is asked with. Other methods of a node are for whoever runs it. */
const PASSED = /^(?:eth|net|web3)_(?!accounts|sign|sendTransaction)\w+$/;

export async function startRpcRecorder(options: RecorderOptions): Promise<RpcRecorder> {
  const {
    upstream,
    network,
    file,
    recordedAt,
    timeoutMs = TIMEOUT_MS,
    maxKnown = MAX_KNOWN,
    maxAnswerBytes = MAX_ANSWER_BYTES,
  } = options;
  const redact = redactionOf(upstream);
  const startedMs = performance.now();
  const output = fs.openSync(file, 'wx', 0o600);
  const write = (line: RecordingHead | Exchange) => fs.writeSync(output, `${redact(JSON.stringify(line))}\n`);
  write({ recording: 1, network, provider: providerOf(upstream), recordedAt });
  const lastAnswers = new Map<string, string>();
  const remember = (key: string, answer: string) => {
    lastAnswers.delete(key);
    lastAnswers.set(key, answer);
    const [oldest] = lastAnswers.keys();
    if (lastAnswers.size > maxKnown && oldest !== undefined) lastAnswers.delete(oldest);
  };
  let [recorded, repeated] = [0, 0];
  const record = (exchange: Exchange) => {
    const { calls, batch, atMs: _at, ms: _ms, ...answered } = exchange;
    const key = digestOf(keyOfCalls(calls, batch));
    const answer = digestOf(JSON.stringify(answered));
    const isRepeat = lastAnswers.get(key) === answer;
    remember(key, answer);
    if (isRepeat) {
      repeated += 1;
      return;
    }
    recorded += 1;
    write(exchange);
  };
  const serve = async (asked: Asked): Promise<RpcReply> => {
    const refused = asked.calls.find(({ method }) => !PASSED.test(method));
    if (refused !== undefined) return refusalOf(asked);
    const atMs = performance.now();
    const answer = await ask(upstream, asked.text, { timeoutMs, maxAnswerBytes });
    const times = { atMs: Math.round(atMs - startedMs), ms: Math.round(performance.now() - atMs) };
    record({ ...times, ...exchangeOf(asked, answer) });
    return answer ?? 'hang up';
  };
  let server: RpcServer;
  try {
    server = await serveRpc(serve, options.listen);
  } catch (problem) {
    fs.closeSync(output);
    throw problem;
  }
  return {
    url: server.url,
    counts: () => ({ recorded, repeated }),
    close: async () => {
      await server.close();
      fs.closeSync(output);
    },
  };
}

/** Undefined when the provider does not answer, or with more than can be kept. */
async function ask(
  url: string,
  body: string,
  { timeoutMs, maxAnswerBytes }: { readonly timeoutMs: number; readonly maxAnswerBytes: number },
): Promise<RpcHttpAnswer | undefined> {
  try {
    const { address, headers } = withoutCredentials(url);
    const response = await fetch(address, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await textOf(response, maxAnswerBytes);
    if (text === undefined) return undefined;
    return { status: response.status, retryAfter: response.headers.get('retry-after') ?? undefined, text };
  } catch {
    return undefined;
  }
}

/** Stops reading, and ends the connection, at the first byte too many. */
async function textOf({ body }: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

function exchangeOf({ calls, batch }: Asked, answer: RpcHttpAnswer | undefined): Omit<Exchange, 'atMs' | 'ms'> {
  const asked = { calls: calls.map(({ method, params }) => ({ method, params })), batch };
  if (answer === undefined) return { ...asked, status: 0 };
  const { status, retryAfter, text } = answer;
  const common = { ...asked, status, ...(retryAfter !== undefined && { retryAfter }) };
  const body = parsed(text);
  const entries: readonly unknown[] = batch ? (Array.isArray(body) ? body : []) : [body];
  const order = entries.map((entry) => calls.findIndex(({ id }) => isAnswerTo(entry, id)));
  if (entries.length === 0 || order.includes(-1)) return { ...common, body: withoutAddressesIn(body) };
  const answers = calls.map((_, index) => {
    const at = order.indexOf(index);
    return at < 0 ? null : answerIn(entries[at]);
  });
  const inOrder = order.every((index, at) => index === at);
  return { ...common, answers, ...(!inOrder && { order }) };
}

function isAnswerTo(entry: unknown, id: AskedCall['id']): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  return (entry as { id?: unknown }).id === id && ('result' in entry || 'error' in entry);
}

function answerIn(entry: unknown): RecordedAnswer {
  const { result, error } = entry as { result?: unknown; error?: unknown };
  return error === undefined || error === null ? { result } : { error: withoutAddressesIn(error) };
}

const withoutAddressesIn = (value: unknown): unknown => JSON.parse(withoutAddresses(JSON.stringify(value ?? null)));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refusalOf({ calls, batch }: Asked): RpcHttpAnswer {
  const error = {
    code: -32_601,
    message: 'the recorder passes on what reads a chain and what broadcasts, nothing else',
  };
  const answers = calls.map(({ id }) => ({ id, error }));
  return { status: 200, text: bodyOfAnswers(batch, answers) };
}

/** `fetch` refuses URLs with user and password, so they go into a header. */
function withoutCredentials(url: string): { address: string; headers: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address: url, headers: {} };
  address.username = '';
  address.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { address: address.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}
