// Generates settle requests: valid headers, nearly valid headers, and noise.
import type { Acceptance } from '@svc-pay/protocol';
import fc from 'fast-check';

/** Signed header with its intent and acceptance. */
export type SignedSample = {
  readonly intentId: string;
  readonly acceptance: Acceptance;
  readonly paymentHeader: string;
};

const decode = (header: string) => JSON.parse(Buffer.from(header, 'base64').toString()) as object;
const encode = (header: unknown) => Buffer.from(JSON.stringify(header)).toString('base64');

/** All parts of a request match, unless one of them is replaced. */
export function arbitrarySettle(samples: readonly SignedSample[]): fc.Arbitrary<unknown> {
  const usual = (value: unknown, odd: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: odd });
  return fc.constantFrom(...samples).chain(({ intentId, acceptance, paymentHeader }) =>
    fc.record({
      paymentIntentId: usual(intentId, fc.constantFrom(...samples.map((sample) => sample.intentId))),
      paymentHeader: usual(paymentHeader, oddHeader(paymentHeader)),
      paymentRequirements: fc.oneof(
        fc.constant(null),
        fc.constant(acceptance),
        edited(acceptance),
        fc.jsonValue({ maxDepth: 1 }),
      ),
    }),
  );
}

function oddHeader(paymentHeader: string): fc.Arbitrary<unknown> {
  return fc.oneof(
    edited(decode(paymentHeader)).map(encode),
    fc.jsonValue({ maxDepth: 2 }).map(encode),
    fc.tuple(fc.nat({ max: paymentHeader.length }), fc.nat({ max: 3 })).map(([at, removed]) => {
      return paymentHeader.slice(0, at) + paymentHeader.slice(at + removed);
    }),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.jsonValue({ maxDepth: 1 }),
  );
}

const VALUES = [
  '0',
  '1',
  '-1',
  '999999999999',
  String(2n ** 256n),
  '0x',
  `0x${'00'.repeat(32)}`,
  'upto',
  'eip155:1',
  '',
];

/** Replaces one value somewhere inside. */
function edited(object: object): fc.Arbitrary<unknown> {
  const places = placesIn(object);
  return fc
    .tuple(fc.constantFrom(...places), fc.oneof(fc.constantFrom(...VALUES), fc.jsonValue({ maxDepth: 1 })))
    .map(([place, value]) => {
      const copy = structuredClone(object) as Record<string, unknown>;
      let at = copy;
      for (const name of place.slice(0, -1)) at = at[name] as Record<string, unknown>;
      at[place.at(-1) ?? ''] = value;
      return copy;
    });
}

function placesIn(value: object, before: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const place = [...before, name];
    return typeof inner === 'object' && inner !== null ? [place, ...placesIn(inner, place)] : [place];
  });
}
