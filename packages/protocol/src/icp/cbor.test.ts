import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cbor, readCborMap, writeCbor } from './cbor.ts';

const { value } = fc.letrec<{ value: Cbor; map: Cbor }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.nat(70_000).map(BigInt),
    fc.string(),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('map'),
  ),
  map: fc
    .uniqueArray(fc.tuple(fc.string(), tie('value')), { selector: ([name]) => name, maxLength: 4 })
    .map((fields) => new Map(fields)),
}));

test('what is written is read back', () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(readCborMap(writeCbor(new Map([['value', one]])))).toEqual(new Map([['value', one]]));
    }),
  );
});

test.each([
  ['the self-described tag is passed over', 'd9d9f7a1616101', new Map([['a', 1n]])],
  ['a number may be written as bytes', 'a16161c24201ff', new Map([['a', 0x01ffn]])],
])('%s', (_, hex, expected) => {
  expect(readCborMap(Buffer.from(hex, 'hex'))).toEqual(expected);
});

test.each([
  ['nothing', ''],
  ['a number alone', '01'],
  ['bytes that end too early', 'a161614401'],
  ['bytes after the end', 'a16161010f'],
  ['a key twice', 'a2616101616102'],
  ['a key that is no text', 'a10101'],
  ['a length without end', 'bf616101ff'],
  ['a negative number', 'a1616120'],
  ['a length of exabytes', 'a161615bffffffffffffffff'],
  ['lists in lists, without end', `a16161${'81'.repeat(1_000)}`],
])('%s is refused', (_, hex) => {
  expect(() => readCborMap(Buffer.from(hex, 'hex'))).toThrow();
});
