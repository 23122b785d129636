import { type Attacker, itemAt, nothing } from '../attacker.ts';
import { CREATE, TOKEN } from '../hostile-payment.ts';

const DEPTH = 60;
const deep: unknown = JSON.parse(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`);

const ODD: readonly unknown[] = [
  { lone: '\ud800' },
  { nul: 'a\u0000b' },
  JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}'),
  deep,
  { huge: Number.MAX_VALUE, tiny: Number.MIN_VALUE },
  { bidi: 'pay \u202Eenim\u202C' },
  { '': '' },
  [],
  null,
];

/** Metadata that parsers and databases trip over. */
export const oddMetadata: Attacker<undefined> = {
  name: 'odd metadata',
  finding: 'M',
  perSecond: 4,
  addresses: 2,
  prepare: nothing,
  strike: async ({ ground, index, ask }) => {
    const { publishableKey: key } = itemAt(ground.shops, index);
    const metadata = ODD[index % ODD.length];
    await ask({ path: CREATE, key, body: { usdAmount: ground.priceUsd, tokenShortcode: TOKEN, metadata } });
  },
};
