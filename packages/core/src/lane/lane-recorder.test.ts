import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { LaneItem } from './lane.ts';
import { createRecorderBeside, MOST_RECORDED_AT_ONCE, partsOf } from './lane-recorder.ts';
import type { FoundBatch, LaneLease, LaneStore } from './lane-store.ts';

const LEASE: LaneLease = { network: evmNetwork(84_532), relayer: '0x5e', epoch: 1n };
const found = (id: string, payments = 1): FoundBatch =>
  ({
    batch: { id, items: Array.from({ length: payments }, () => ({}) as LaneItem) },
    mined: { batchId: id, items: [] },
  }) as unknown as FoundBatch;
const idsOf = (part: readonly FoundBatch[]) => part.map(({ batch }) => batch.id).join(' ');

/** A recorder whose every recording ends as told, in order. */
function recorderThat(...ends: readonly (() => Promise<boolean>)[]) {
  const recorded: string[] = [];
  const left = [...ends];
  const recordMined: LaneStore['recordMined'] = async (_lease, part) => {
    recorded.push(idsOf(part));
    return (left.shift() ?? (async () => true))();
  };
  const recorder = createRecorderBeside({ store: { recordMined } as LaneStore, log: () => {} }, LEASE);
  return { recorder, recorded };
}

test('batches are recorded whole and in order, in commits of at most 400 payments', () => {
  expect(MOST_RECORDED_AT_ONCE).toBe(400);
  const parts = partsOf([
    found('a', 200),
    found('b', 200),
    found('c', 1),
    found('d', 400),
    found('e', 500),
    found('f'),
  ]);
  expect(parts.map(idsOf)).toEqual(['a b', 'c', 'd', 'e', 'f']);
  expect(partsOf([])).toEqual([]);
});

test('a batch is under way until its commit, and nobody waits for it before `finish`', async () => {
  const committed = Promise.withResolvers<boolean>();
  const { recorder, recorded } = recorderThat(() => committed.promise);
  expect(await recorder.record([found('a', 300), found('b', 300)])).toBe(true);
  expect(await recorder.record([found('c')])).toBe(true);
  expect([...recorder.underWay()]).toEqual(['a', 'b', 'c']);
  committed.resolve(true);
  expect(await recorder.finish()).toBe(true);
  expect([recorded, [...recorder.underWay()]]).toEqual([['a', 'b', 'c'], []]);
});

test('after a take-over nothing more is recorded, and the next round is told', async () => {
  const { recorder, recorded } = recorderThat(async () => false);
  await recorder.record([found('a', 300), found('b', 300)]);
  expect(await recorder.finish()).toBe(false);
  expect(await recorder.record([])).toBe(false);
  expect(recorded).toEqual(['a']);
});

test('after a failure nothing more is recorded, and the next round and the end fail with it', async () => {
  const { recorder, recorded } = recorderThat(() => Promise.reject(new Error('the connection was lost')));
  await recorder.record([found('a', 300), found('b', 300)]);
  await expect(recorder.finish()).rejects.toThrow('the connection was lost');
  await expect(recorder.record([found('c')])).rejects.toThrow('the connection was lost');
  expect(recorded).toEqual(['a']);
});
