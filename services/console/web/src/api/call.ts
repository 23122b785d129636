// Requests to the console's own server, which relays them with the rights of the person who is signed in.

const API = '/console/api';

/** Asked for when a passkey check within the last minutes is needed. */
const CHECK_NEEDED = 'check_needed';
const SIGNED_OUT: ReadonlySet<string> = new Set(['session_missing', 'session_over']);

export type CallOptions = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** The same for each repeat of one intention, so that it happens once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Statuses beside 2xx whose body is the answer: a new intent is answered with 402. */
  readonly alsoGood?: readonly number[];
};

export class CallRefusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const text = (name: string) => (typeof body[name] === 'string' ? body[name] : null);
    super(text('message') ?? `The service answered with status ${status}.`);
    this.name = 'CallRefusal';
    this.status = status;
    this.code = text('error') ?? 'unknown';
    this.param = text('param');
    this.requestId = text('requestId');
  }
}

/** Nobody knows whether the request arrived. */
class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The console can’t be reached. Check your connection and try again.', { cause });
    this.name = 'Unreachable';
  }
}

type AskForCheck = () => Promise<boolean>;
let askForCheck: AskForCheck | undefined;

/** Registers what asks the person for a passkey check; it answers whether the check succeeded. */
export function onCheckNeeded(ask: AskForCheck | undefined): void {
  askForCheck = ask;
}

/** The answer's body. Throws `CallRefusal` or `Unreachable`. */
export async function call<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
  return (await (await answerOf(path, options)).json()) as Answer;
}

/** For answers whose headers matter, or whose body is no JSON. */
export async function answerOf(path: string, options: CallOptions = {}): Promise<Response> {
  const first = await send(path, options);
  if (first.ok || options.alsoGood?.includes(first.status)) return first;
  const refusal = await refusalOf(first);
  if (refusal.code !== CHECK_NEEDED || askForCheck === undefined || !(await askForCheck())) throw refusal;
  const second = await send(path, options);
  if (second.ok || options.alsoGood?.includes(second.status)) return second;
  throw await refusalOf(second);
}

async function send(path: string, options: CallOptions): Promise<Response> {
  const { method = 'GET', body, idempotencyKey, signal } = options;
  try {
    return await fetch(`${API}${path}`, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(method !== 'GET' && { 'x-svc-console': '1', 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (problem) {
    if (signal?.aborted) throw problem;
    throw new Unreachable(problem);
  }
}

async function refusalOf(response: Response): Promise<CallRefusal> {
  const body: unknown = await response.json().catch(() => null);
  return new CallRefusal(response.status, typeof body === 'object' && body !== null ? { ...body } : {});
}

export const isSignedOut = (problem: unknown): boolean =>
  problem instanceof CallRefusal && SIGNED_OUT.has(problem.code);

export const queryText = (query: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
};
