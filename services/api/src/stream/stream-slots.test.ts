import { expect, test } from 'vitest';
import { createStreamSlots } from './stream-slots.ts';

const LIMITS = { max: 1_000, perAddress: 100, perKey: 400, perAccount: 800, perIntent: 20 };
const owner = (address: string, key: string, intent: string) => ({ address, key, account: `of ${key}`, intent });
const outcome = ({ ok, ...rest }: ReturnType<ReturnType<typeof createStreamSlots>['take']>) =>
  ok ? 'taken' : (rest as { full: string }).full;
const takeMany = (
  slots: ReturnType<typeof createStreamSlots>,
  count: number,
  at: (index: number) => ReturnType<typeof owner>,
) =>
  Array.from({ length: count }, (_, index) => outcome(slots.take(at(index)))).filter((end) => end === 'taken').length;

test('a thousand streams of one key from one address leave most places to others', () => {
  const slots = createStreamSlots(LIMITS);
  expect(takeMany(slots, 1_000, (index) => owner('a', 'k', `pi_${index}`))).toBe(100);
  expect(outcome(slots.take(owner('b', 'other', 'pi_other')))).toBe('taken');
});

test('nor does one key from a thousand addresses take them all', () => {
  const slots = createStreamSlots(LIMITS);
  expect(takeMany(slots, 1_000, (index) => owner(`a${index}`, 'k', `pi_${index}`))).toBe(400);
  expect(outcome(slots.take(owner('b', 'other', 'pi_other')))).toBe('taken');
});

test('an intent has its own limit, and a full process refuses everybody', () => {
  const slots = createStreamSlots({ ...LIMITS, max: 30 });
  expect(takeMany(slots, 30, (index) => owner(`a${index}`, `k${index}`, 'pi'))).toBe(20);
  expect(takeMany(slots, 30, (index) => owner(`b${index}`, `l${index}`, `pi_${index}`))).toBe(10);
  expect(outcome(slots.take(owner('c', 'm', 'pi_c')))).toBe('process');
  expect(outcome(slots.take(owner('c', 'm', 'pi')))).toBe('owner');
});

test('a place that is given back is free again, once', () => {
  const slots = createStreamSlots({ ...LIMITS, perAddress: 1 });
  const first = slots.take(owner('a', 'k', 'pi'));
  expect(outcome(slots.take(owner('a', 'k', 'pi')))).toBe('owner');
  if (!first.ok) throw new Error('refused');
  first.release();
  first.release();
  expect(outcome(slots.take(owner('a', 'k', 'pi')))).toBe('taken');
  expect(outcome(slots.take(owner('a', 'k', 'pi')))).toBe('owner');
});

/** Processes that tell each other their streams; a round happens when the test says so. */
function startProcesses(count: number) {
  const processes = Array.from({ length: count }, () => createStreamSlots(LIMITS));
  const open = processes.map(() => new Map<string, number>());
  const round = (index: number) => {
    const slots = processes[index];
    const drafted = slots?.draft() ?? { streams: [], watched: [] };
    for (const { name, open: streams } of drafted.streams) open[index]?.set(name, streams);
    const others = (name: string) => open.reduce((sum, of, at) => sum + (at === index ? 0 : (of.get(name) ?? 0)), 0);
    slots?.apply(drafted, { live: count, elsewhere: new Map(drafted.watched.map((name) => [name, others(name)])) });
  };
  const roundOfAll = () => {
    for (const index of processes.keys()) round(index);
  };
  return { processes, round, roundOfAll };
}

test('three processes have one limit together, and streams of a process that closes them are free for the others', () => {
  const { processes, round, roundOfAll } = startProcesses(3);
  roundOfAll();
  const releases: (() => void)[] = [];
  const fill = () => {
    for (let rounds = 0; rounds < 40; rounds += 1) {
      for (const [index, slots] of processes.entries()) {
        for (let each = 0; each < 50; each += 1) {
          const slot = slots.take(owner('a', `k${each}`, `pi_${rounds}_${index}_${each}`));
          if (slot.ok) releases.push(slot.release);
        }
        round(index);
      }
    }
  };
  fill();
  expect(releases.length).toBeGreaterThanOrEqual(90);
  expect(releases.length).toBeLessThanOrEqual(110);
  for (const release of releases.splice(0)) release();
  roundOfAll();
  fill();
  expect(releases.length).toBeGreaterThanOrEqual(90);
  expect(releases.length).toBeLessThanOrEqual(110);
});

test('an address that opens its streams slowly, with rounds in between, has one limit over all processes too', () => {
  const { processes, roundOfAll } = startProcesses(4);
  roundOfAll();
  let taken = 0;
  for (let turn = 0; turn < LIMITS.perAddress * 2; turn += 1) {
    for (const [index, slots] of processes.entries())
      if (slots.take(owner('a', `k${turn}`, `pi_${turn}_${index}`)).ok) taken += 1;
    for (let pause = 0; pause < 3; pause += 1) roundOfAll();
  }
  expect(taken).toBeGreaterThanOrEqual(0.9 * LIMITS.perAddress);
  expect(taken).toBeLessThanOrEqual(LIMITS.perAddress + processes.length);
});
