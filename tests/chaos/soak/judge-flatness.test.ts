import { expect, test } from 'vitest';
import { judgeFlatness } from './judge-flatness.ts';
import type { Sample } from './sample-world.ts';

const sampleAt = (
  index: number,
  mebibytes: number,
  sockets = 20,
  bytesPerPayment = 9_000,
  deadShare = 0.1,
): Sample => ({
  seconds: index * 10,
  completed: index,
  parts: { api: { mebibytes, sockets } },
  deadShare,
  bytesPerPayment,
});
const crooked = (samples: readonly Sample[]) => judgeFlatness(samples).filter(({ flat }) => !flat);
const run = (make: (index: number) => Sample) => Array.from({ length: 40 }, (_, index) => make(index));

test('a heap that fills in the first quarter and then stays is flat', () => {
  expect(crooked(run((index) => sampleAt(index, Math.min(60 + index * 10, 160))))).toEqual([]);
});

test('memory, sockets, stored bytes or dead rows that go on growing are found, each by name', () => {
  const leaks = run((index) => sampleAt(index, 100 + index * 4, 20 + index, 9_000 + index * 60, index * 0.03));
  expect(crooked(leaks).map(({ what }) => what)).toEqual([
    'api MiB',
    'api sockets',
    'bytes stored per payment',
    'dead rows per live row',
  ]);
});
