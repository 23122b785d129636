import { describe, expect, test } from 'vitest';
import { EXACT_TIMEOUT_SECONDS } from '../intent/timeouts.ts';
import { CHAINS } from '../token/chain.ts';
import { requiredSecondsLeft } from './check-window.ts';

/** Highest `blockSeconds` that the configuration allows. */
const LONGEST_BLOCK_SECONDS = 20;
const BLOCKS = [1, 2, 3, 5, 12, 15, LONGEST_BLOCK_SECONDS];

describe.each(BLOCKS)('with a block every %i s', (blockSeconds) => {
  test('a signature outlives the two blocks that may carry it', () => {
    expect(requiredSecondsLeft('exact', blockSeconds)).toBeGreaterThan(2 * blockSeconds);
    expect(requiredSecondsLeft('exact', blockSeconds)).toBeGreaterThanOrEqual(10);
  });
  test('a payer who signs for as long as was asked has four minutes to send it', () => {
    expect(EXACT_TIMEOUT_SECONDS - requiredSecondsLeft('exact', blockSeconds)).toBeGreaterThanOrEqual(240);
  });
  test('an up-to signature needs a minute, as settlement asks for it', () => {
    expect(requiredSecondsLeft('upto_confirm', blockSeconds)).toBe(60);
    expect(requiredSecondsLeft('upto_settle', blockSeconds)).toBe(60);
  });
});

test('Ethereum asks for 28 seconds, every faster chain for 10', () => {
  for (const { name, blockSeconds } of CHAINS)
    expect(requiredSecondsLeft('exact', blockSeconds), name).toBe(name === 'Ethereum' ? 28 : 10);
});
