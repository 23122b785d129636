// One request, and what came back of it. No answer is an answer too: it says nothing about the payment.
import { nowMs } from '../harness/clock.ts';
import type { History } from '../harness/history.ts';

export type Told = { readonly http: number; readonly body: Readonly<Record<string, unknown>> };
export type Call = {
  readonly path: string;
  readonly key: string;
  /** Absent: a GET. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

const PATIENCE_MS = 20_000;

/**
 * Who is not answered asks the next API, the same again, each of them once. Undefined when none answered. `first` says where
 * to begin.
 */
export async function askOneOf(
  urls: readonly string[],
  first: number,
  call: Call,
  onAnswer: (api: number, attempt: number, askedAtMs: number, told: Told | undefined) => void,
): Promise<Told | undefined> {
  for (let attempt = 0; attempt < urls.length; attempt += 1) {
    const api = (first + attempt) % urls.length;
    const askedAtMs = nowMs();
    const told = await askApi(urls[api] ?? '', call);
    onAnswer(api, attempt, askedAtMs, told);
    if (told !== undefined) return told;
  }
  return undefined;
}

async function askApi(url: string, { path, key, body, headers }: Call): Promise<Told | undefined> {
  try {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { http: answer.status, body: (await answer.json()) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

export type Subject = {
  readonly journey: number;
  readonly intent: string;
  readonly call: string;
  /** Of the authorization that was sent, or that was confirmed before. */
  readonly nonce: string;
};

/** What a client was told about its payment, in the words of the answer. */
export function noteTold(history: History, subject: Subject, askedAtMs: number, told: Told | undefined): void {
  const body = told?.body ?? {};
  const payment = (body['payment'] ?? {}) as Readonly<Record<string, unknown>>;
  history.note('told', {
    ...subject,
    askedAt: askedAtMs,
    http: told?.http ?? null,
    status: body['status'],
    error: body['error'],
    moneyMoved: body['moneyMoved'],
    transactionId: body['transactionId'],
    paymentId: payment['id'],
    paymentStatus: payment['status'],
    settledAmount: body['settledAmount'],
    refundAmount: body['refundAmount'],
    feeAmount: body['platformFeeAmount'],
  });
}
