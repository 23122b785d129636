import type * as z from 'zod/mini';
import type { RouteOutcome } from './outcome.ts';

type Refusal = Extract<RouteOutcome, { ok: false }>;

/** Treats a missing body as an empty object. */
export function readBody<Shape extends z.ZodMiniType>(
  schema: Shape,
  body: unknown,
): { readonly ok: true; readonly data: z.infer<Shape> } | Refusal {
  const read = schema.safeParse(body ?? {});
  return read.success ? { ok: true, data: read.data } : malformed(read.error);
}

/** Names the invalid field, or the unknown parameter. */
export function malformed(error: z.core.$ZodError): Refusal {
  const [issue] = error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const [field] = issue?.path ?? [];
  const param = unknown ?? (typeof field === 'string' ? field : null);
  return { ok: false, code: 'malformed_request', param };
}
