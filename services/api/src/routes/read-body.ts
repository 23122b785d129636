import type * as z from 'zod/mini';
import { fieldNamesOf, issueSentence, unknownFieldIn, unknownFieldSentence } from '../body/field-sentence.ts';
import type { RouteOutcome } from './outcome.ts';

type Refusal = Extract<RouteOutcome, { ok: false }>;

/** Treats a missing body as an empty object. */
export function readBody<Shape extends z.ZodMiniType>(
  schema: Shape,
  body: unknown,
): { readonly ok: true; readonly data: z.infer<Shape> } | Refusal {
  const read = schema.safeParse(body ?? {});
  return read.success ? { ok: true, data: read.data } : malformed(read.error, body ?? {}, schema);
}

/** Names the invalid field, and what it must be; with a schema also a field that may have been meant for it. */
export function malformed(error: z.core.$ZodError, body: unknown, schema?: z.ZodMiniType): Refusal {
  const [issue] = error.issues;
  const [field] = issue?.path ?? [];
  const sentence = issue === undefined ? undefined : issueSentence(issue, body);
  return {
    ok: false,
    code: 'malformed_request',
    param: typeof field === 'string' ? field : null,
    ...(sentence !== undefined && { message: `${sentence}${schema ? strayField(schema, body) : ''}` }),
  };
}

/** Refuses a field that the schema does not have, by the name that was meant. */
export function refuseUnknownField(schema: z.ZodMiniType, body: unknown): Refusal | undefined {
  const names = fieldNamesOf(schema);
  const unknown = names && unknownFieldIn(names, body);
  if (names === undefined || unknown === undefined) return undefined;
  return { ok: false, code: 'malformed_request', param: unknown, message: unknownFieldSentence(unknown, names) };
}

/** Refuses an unknown parameter by the name that was meant, and any other by what it must be. */
export function malformedQuery(error: z.core.$ZodError, query: unknown, schema: z.ZodMiniObject): Refusal {
  const unknown = error.issues.find((issue) => issue.code === 'unrecognized_keys')?.keys[0];
  if (unknown === undefined) return malformed(error, query);
  const names = Object.keys(schema.shape);
  const message = unknownFieldSentence(unknown, names, 'parameter');
  return { ok: false, code: 'malformed_request', param: unknown, message };
}

/** The interface's endpoints ignore unknown fields; a refusal still says which one looks like a known one. */
export function strayField(schema: z.ZodMiniType, body: unknown): string {
  const names = fieldNamesOf(schema);
  const unknown = names && unknownFieldIn(names, body);
  return names === undefined || unknown === undefined ? '' : ` ${unknownFieldSentence(unknown, names)}`;
}
