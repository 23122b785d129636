// The part of JSON Schema that this package's tests use.
import * as z from 'zod/mini';

export type JsonSchema = {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly branches?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
};

/** Alternatives have three notations (`anyOf`, `oneOf`, a list of types); all become `branches`. */
export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  return normalised(z.toJSONSchema(schema));
}

function normalised(raw: Readonly<Record<string, unknown>>): JsonSchema {
  const alternatives = raw['anyOf'] ?? raw['oneOf'];
  if (Array.isArray(alternatives)) return { branches: alternatives.map(normalised) };
  if (Array.isArray(raw['type'])) return { branches: raw['type'].map((type) => normalised({ ...raw, type })) };
  const properties = raw['properties'] as Readonly<Record<string, Record<string, unknown>>> | undefined;
  const items = raw['items'] as Readonly<Record<string, unknown>> | undefined;
  return {
    ...raw,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, normalised(value)])),
    }),
    ...(items && { items: normalised(items) }),
  };
}
