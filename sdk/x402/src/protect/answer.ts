// An HTTP answer as every framework can give it.

export type HeaderList = readonly (readonly [name: string, value: string])[];

export type HttpAnswer = {
  readonly status: number;
  /** Names in lower case; a name may come several times. */
  readonly headers: HeaderList;
  readonly body: Uint8Array;
};

/** What is asked, as far as paying depends on it. The body is the handler's. */
export type RequestFacts = {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  /** Several values of one name are joined by a comma or a list. */
  readonly header: (name: string) => string | readonly string[] | undefined;
};

/** An answer to a payer belongs to nobody else. */
const UNSHARED = ['cache-control', 'private, no-store'] as const;

export function jsonAnswer(status: number, value: object, headers: HeaderList = []): HttpAnswer {
  const body = new TextEncoder().encode(JSON.stringify(value));
  return withHeaders({ status, headers: [['content-type', 'application/json'], UNSHARED], body }, headers);
}

/** The handler's answer, for this payer only. */
export function unshared(answer: HttpAnswer, headers: HeaderList = []): HttpAnswer {
  return withHeaders(answer, [UNSHARED, ...headers]);
}

/** Names that are given replace those of the answer. */
export function withHeaders(answer: HttpAnswer, headers: HeaderList): HttpAnswer {
  const names = new Set(headers.map(([name]) => name));
  return { ...answer, headers: [...answer.headers.filter(([name]) => !names.has(name)), ...headers] };
}

/** Headers of a handler's answer that a browser needs to read any answer at all; they tell nothing of the body. */
export function crossOriginHeaders({ headers }: HttpAnswer): HeaderList {
  return headers.filter(([name]) => name.startsWith('access-control-') || name === 'vary');
}
