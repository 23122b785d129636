import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { arbitraryOf } from '../testing/arbitrary-of.ts';
import { WIRE_SCHEMAS } from '../testing/wire-schemas.ts';

test.each(Object.entries(WIRE_SCHEMAS))('%s comes back from the wire as it went', (_, schema) => {
  fc.assert(
    fc.property(arbitraryOf(schema), (value) => {
      expect(z.parse(schema, JSON.parse(JSON.stringify(value)))).toEqual(value);
    }),
    { numRuns: 60 },
  );
});

test.each(Object.entries(WIRE_SCHEMAS))('%s answers any JSON with a value or a refusal, never a throw', (_, schema) => {
  fc.assert(fc.property(fc.jsonValue(), (value) => void z.safeParse(schema, value)));
});
