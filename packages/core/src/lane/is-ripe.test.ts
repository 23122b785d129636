import { describe, expect, test } from 'vitest';
import { hasGathered, isRipe } from './is-ripe.ts';

const GATHER_MS = 200;
const fills = Array.from({ length: 101 }, (_, percent) => percent / 100);
const waits = Array.from({ length: 41 }, (_, step) => step * 100);

test('a full batch waits for nothing, whatever is in flight', () => {
  for (let inFlight = 0; inFlight <= 64; inFlight += 1) {
    expect(isRipe({ waitedMs: 0, inFlight }, GATHER_MS, 1)).toBe(true);
  }
});

test('a payment leaves at once while nothing is in flight', () => {
  for (const filled of fills) expect(isRipe({ waitedMs: 0, inFlight: 0 }, GATHER_MS, filled)).toBe(true);
});

describe('a partial batch', () => {
  test.each([
    [0.005, 400],
    [0.1, 400],
    [0.2, 200],
    [0.5, 80],
    [0.99, 41],
  ])('filled to %d leaves after %d ms behind two transactions', (filled, afterMs) => {
    expect(isRipe({ waitedMs: afterMs - 1, inFlight: 2 }, GATHER_MS, filled)).toBe(false);
    expect(isRipe({ waitedMs: afterMs, inFlight: 2 }, GATHER_MS, filled)).toBe(true);
  });

  const states = waits.flatMap((waitedMs) =>
    Array.from({ length: 17 }, (_, inFlight) => inFlight).flatMap((inFlight) =>
      fills.map((filled) => ({ waitedMs, inFlight, filled })),
    ),
  );
  const ripe = ({ filled, ...gathering }: (typeof states)[number]) => isRipe(gathering, GATHER_MS, filled);

  test('never waits longer than the longest time, so that no payment is starved', () => {
    expect(states.filter((state) => hasGathered(state, GATHER_MS) && !ripe(state))).toEqual([]);
  });

  test('once ripe stays ripe: with more time, with more payments, and with fewer transactions in flight', () => {
    const unripe = states
      .filter(ripe)
      .flatMap((state) => [
        ...(ripe({ ...state, waitedMs: state.waitedMs + 1 }) ? [] : [state]),
        ...(ripe({ ...state, filled: state.filled + 0.01 }) ? [] : [state]),
        ...(ripe({ ...state, inFlight: Math.max(0, state.inFlight - 1) }) ? [] : [state]),
      ]);
    expect(unripe).toEqual([]);
  });
});
