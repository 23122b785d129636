import { expect, test } from 'vitest';
import { agreeOnEvidence } from './agree-on-evidence.ts';
import type { UseEvidence } from './money-log.ts';

const use = { position: { blockNumber: 7n, blockHash: '0xb', transactionId: '0xt', logIndex: 3 } };
const transfer = { logIndex: 4, from: '0x1', to: '0x2', valueAtomic: 5n };
const own: UseEvidence = { transactionId: '0xt', blockHash: '0xb', transfer };
const more: UseEvidence = { ...own, transfer: { ...transfer, valueAtomic: 6n } };
const none: UseEvidence = { ...own, transfer: undefined };
const elsewhere: UseEvidence = { ...own, transactionId: '0xother' };
const fork: UseEvidence = { ...own, blockHash: '0xfork' };

test.each<[string, readonly (UseEvidence | undefined)[], UseEvidence | undefined]>([
  ['two nodes show', [own, own], own],
  ['two nodes show beside one that lies', [more, own, own], own],
  ['two nodes show to be missing', [none, none], none],
  ['one node shows alone', [own], own],
  ['one shows and one has no receipt of', [own, undefined], undefined],
  ['two nodes contradict each other about', [own, more], undefined],
  ['one shows and one denies', [own, none], undefined],
  ['two show in another transaction', [elsewhere, elsewhere], undefined],
  ['two show in another block', [fork, fork], undefined],
  ['one shows in another block', [own, fork], undefined],
  ['nobody shows', [], undefined],
])('what %s', (_, views, agreed) => {
  expect(agreeOnEvidence(use, views)).toEqual(agreed);
});
