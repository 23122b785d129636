import { expect, test } from 'vitest';
import { chooseBlock, readNamedBlock } from './read-named-block.ts';

const LEDGER = 'xevnm-gaaaa-aaaar-qafnq-cai';
const OTHER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';

test.each([
  [{ ledgerBlockIndex: '12' }, { ledger: null, index: 12n }],
  [
    { ledgerBlockIndex: 12, ledgerCanisterId: LEDGER },
    { ledger: LEDGER, index: 12n },
  ],
  [{ canisterTxId: 0 }, { ledger: null, index: 0n }],
  [
    { ledgerBlockIndex: 12, canisterTxId: '13' },
    { ledger: null, index: 12n },
  ],
  [
    { ledgerBlockIndex: null, canisterTxId: '13' },
    { ledger: null, index: 13n },
  ],
  [{ transactionId: `${LEDGER}:9` }, { ledger: LEDGER, index: 9n }],
  [
    { transactionId: `${LEDGER}:9`, ledgerCanisterId: '' },
    { ledger: LEDGER, index: 9n },
  ],
])('%j names a block', (hints, block) => {
  expect(readNamedBlock(hints)).toEqual(block);
});

test.each([
  {},
  { ledgerCanisterId: LEDGER },
  { ledgerBlockIndex: -1 },
  { ledgerBlockIndex: 1.5 },
  { ledgerBlockIndex: 2 ** 53 },
  { ledgerBlockIndex: '0x1' },
  { canisterTxId: ' 1' },
  { canisterTxId: ['1'] },
  { transactionId: `0x${'ab'.repeat(32)}` },
  { transactionId: 7 },
])('%j names none', (hints) => {
  expect(readNamedBlock(hints)).toBeUndefined();
});

test('a block without a ledger is of the first ledger, and one of another ledger of none', () => {
  expect(chooseBlock({ ledger: null, index: 1n }, [LEDGER, OTHER])).toEqual({ ledger: LEDGER, index: 1n });
  expect(chooseBlock({ ledger: OTHER, index: 1n }, [LEDGER, OTHER])).toEqual({ ledger: OTHER, index: 1n });
  expect(chooseBlock({ ledger: OTHER, index: 1n }, [LEDGER])).toBeUndefined();
  expect(chooseBlock({ ledger: null, index: 1n }, [])).toBeUndefined();
});
