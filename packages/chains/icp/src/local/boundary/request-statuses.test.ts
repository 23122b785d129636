import { expect, test } from 'vitest';
import type { CanisterAnswer } from '../vm/message.ts';
import { BuiltTree } from './hash-tree.ts';
import { RequestStatuses } from './request-statuses.ts';

const MINUTE = 60_000_000_000n;
const idOf = (number: number) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
const who = { sender: Uint8Array.of(1), canister: Uint8Array.of(2) };
const replied: CanisterAnswer = { kind: 'reply', reply: Uint8Array.of(7) };
const answer = async () => replied;

test('a status is kept while its request can still be sent, and forgotten five minutes after', () => {
  let now = 0n;
  const statuses = new RequestStatuses(() => now);
  statuses.track(idOf(1), { ...who, expiry: 5n * MINUTE }, { answer, processingMs: 0 });
  now = 10n * MINUTE;
  statuses.track(idOf(2), { ...who, expiry: 15n * MINUTE }, { answer, processingMs: 0 });
  expect(statuses.find(idOf(1))).toBeDefined();
  now += 1n;
  statuses.track(idOf(3), { ...who, expiry: 15n * MINUTE }, { answer, processingMs: 0 });
  expect(statuses.find(idOf(1))).toBeUndefined();
  expect(statuses.find(idOf(2))).toBeDefined();
});

test('a call that could not be remembered does not begin', () => {
  const statuses = new RequestStatuses(() => 0n);
  let begun = 0;
  const count = async () => {
    begun += 1;
    return replied;
  };
  const track = (number: number) =>
    statuses.track(idOf(number), { ...who, expiry: MINUTE }, { answer: count, processingMs: 0 });
  for (let number = 0; number < 10_000; number += 1) track(number);
  expect(() => track(10_000)).toThrow('too many calls');
  expect(begun).toBe(10_000);
});

test('a call is processing until its answer may be seen', async () => {
  let now = 0n;
  const statuses = new RequestStatuses(() => now);
  const { done } = statuses.track(idOf(1), { ...who, expiry: MINUTE }, { answer, processingMs: 50 });
  await done;
  const shown = () => Buffer.from(JSON.stringify(new BuiltTree(statuses.state()).witness([[]]))).toString();
  const spelled = (text: string) => JSON.stringify(Buffer.from(text));
  expect(shown()).toContain(spelled('processing'));
  now = 50_000_000n;
  expect(shown()).toContain(spelled('replied'));
});
