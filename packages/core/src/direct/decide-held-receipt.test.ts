import { expect, test } from 'vitest';
import { decideHeldReceipt, type HeldFacts } from './decide-held-receipt.ts';

const receipt = { logIndex: 3, from: '0xaa', to: '0xbb', valueAtomic: 5n };
const held: HeldFacts = {
  settlement: 'held',
  heldForMerchant: true,
  signed: { payer: '0xAA', wallet: '0xbb', amountAtomic: 5n },
  receipt,
};
const COMPLETE = { step: 'complete', receipt };
const FAIL = { step: 'fail', code: 'authorization_already_used' };
const NOT_HELD = { step: 'none', code: 'payment_not_held' };
const UNKNOWN = { step: 'none', code: 'receipt_unknown' };

test.each<[string, Partial<HeldFacts>, unknown, unknown]>([
  ['held with its receipt', {}, COMPLETE, FAIL],
  ['held for another reason', { heldForMerchant: false }, NOT_HELD, NOT_HELD],
  ['completed', { settlement: 'completed' }, NOT_HELD, NOT_HELD],
  ['failed', { settlement: 'failed' }, NOT_HELD, NOT_HELD],
  ['in a batch', { settlement: 'batched' }, NOT_HELD, NOT_HELD],
  ['without a settlement', { settlement: undefined }, NOT_HELD, NOT_HELD],
  ['whose transfer proves something else', { receipt: undefined }, UNKNOWN, FAIL],
  ['with a receipt of another payer', { receipt: { ...receipt, from: '0xcc' } }, UNKNOWN, FAIL],
  ['with a receipt at another wallet', { receipt: { ...receipt, to: '0xcc' } }, UNKNOWN, FAIL],
  ['with a receipt of another amount', { receipt: { ...receipt, valueAtomic: 4n } }, UNKNOWN, FAIL],
])('a payment %s: what accepting and refusing it does', (_, change, accepted, refused) => {
  expect(decideHeldReceipt({ ...held, ...change }, 'accept')).toEqual(accepted);
  expect(decideHeldReceipt({ ...held, ...change }, 'refuse')).toEqual(refused);
});
