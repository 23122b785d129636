// Generates values for any wire schema, so that round trips cover a new shape without a change here.
import fc from 'fast-check';
import type { z } from 'zod/mini';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

/** Values by the schema's JSON Schema; values that only its refinements refuse are left out. */
export function arbitraryOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  return fromJsonSchema(jsonSchemaOf(schema));
}

function fromJsonSchema(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.branches !== undefined) return fc.oneof(...schema.branches.map(fromJsonSchema));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type ?? 'anything') {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: schema.minimum ?? Number.MIN_SAFE_INTEGER,
        max: schema.maximum ?? Number.MAX_SAFE_INTEGER,
      });
    case 'number':
      // JSON has no -0: it would not survive a round trip.
      return fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0);
    case 'string':
      return text(schema);
    case 'array':
      return fc.array(fromJsonSchema(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'object':
      return schema.properties === undefined ? jsonObject(schema) : record(schema);
    default:
      return plainJson;
  }
}

function text(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  if (schema.pattern === ATOMIC_PATTERN) return fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
  return schema.pattern === undefined ? fc.string() : fc.stringMatching(new RegExp(schema.pattern));
}

function record(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, value]) => [name, fromJsonSchema(value)] as const,
  );
  return fc.record(Object.fromEntries(properties), { requiredKeys: [...(schema.required ?? [])] });
}

const ATOMIC_PATTERN = String.raw`^(?:0|[1-9]\d{0,77})$`;

/** One round trip through JSON leaves only what the wire can represent. */
const plainJson = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

function jsonObject(schema: JsonSchema & { readonly additionalProperties?: JsonSchema }): fc.Arbitrary<unknown> {
  const values = schema.additionalProperties?.type === 'string' ? fc.string() : plainJson;
  return fc
    .dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      values,
      { maxKeys: 3 },
    )
    .map((value) => ({ ...value }));
}
