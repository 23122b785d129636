import type * as z from 'zod/mini';
import type { Outcome } from './outcome.ts';

type Refusal = Extract<Outcome, { ok: false }>;

/** A body that was left out is an empty one. */
export function readBody<Shape extends z.ZodMiniType>(
  schema: Shape,
  body: unknown,
): { readonly ok: true; readonly data: z.infer<Shape> } | Refusal {
  const read = schema.safeParse(body ?? {});
  return read.success ? { ok: true, data: read.data } : malformed(read.error);
}

/** Names the field, or the parameter that nobody knows. */
export function malformed(error: z.core.$ZodError): Refusal {
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const [field] = issue?.path ?? [];
  const param = unknown ?? (typeof field === 'string' ? field : null);
  return { ok: false, code: 'malformed_request', param };
}
