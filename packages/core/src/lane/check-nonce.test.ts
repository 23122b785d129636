import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { checkNonce } from './check-nonce.ts';
import type { NonceRange } from './lane-chain.ts';
import type { SequencedLaneDeps } from './lane-deps.ts';
import type { LaneLease, LaneState } from './lane-store.ts';
import type { LaneObstacle } from './obstacle.ts';

const NEXT = 7n;
const LANE: LaneLease = { network: evmNetwork(84_532), relayer: `0x${'5e'.repeat(20)}`, epoch: 1n };

/**
 * A lane with `NEXT` as next nonce, against nodes with these nonces. Returns the result and the row after the check.
 */
async function check(range: NonceRange, before: LaneObstacle | null = null) {
  let row: Pick<LaneState, 'nextNonce' | 'obstacle'> = { nextNonce: NEXT, obstacle: before };
  const deps = {
    chain: { nonceRange: async () => range },
    store: {
      advanceNonce: async (_: LaneLease, from: bigint, to: bigint) => {
        if (row.nextNonce === from) row = { ...row, nextNonce: to };
      },
      noteObstacle: async (_: LaneLease, obstacle: LaneObstacle | null) => {
        row = { ...row, obstacle };
      },
    },
    log: () => {},
  } as unknown as SequencedLaneDeps;
  const end = await checkNonce(deps, LANE, { ...row, open: true, share: { index: 0, count: 1 } });
  return { end, ...row };
}

describe('with nothing in flight a lane sends only under the nonce that the chain expects', () => {
  test('the nodes name the nonce of the database: the lane goes on', async () => {
    expect(await check({ lowest: NEXT, highest: NEXT })).toEqual({ end: 'empty', nextNonce: NEXT, obstacle: null });
  });

  test.each([1n, 2n, NEXT])('every node is %d behind: the lane stops, and the database keeps its nonce', async (by) => {
    expect(await check({ lowest: NEXT - by, highest: NEXT - by })).toEqual({
      end: 'blocked',
      nextNonce: NEXT,
      obstacle: 'nonce_behind',
    });
  });

  test('one node is behind and another is not: the lane goes on', async () => {
    expect(await check({ lowest: NEXT - 1n, highest: NEXT })).toEqual({
      end: 'empty',
      nextNonce: NEXT,
      obstacle: null,
    });
  });

  test('every node is ahead: the lane skips the nonces that another program used, and looks again', async () => {
    expect(await check({ lowest: NEXT + 1n, highest: NEXT + 2n })).toEqual({
      end: 'moved',
      nextNonce: NEXT + 1n,
      obstacle: null,
    });
  });

  test('one node is ahead and another is not: no nonce is skipped', async () => {
    expect(await check({ lowest: NEXT, highest: NEXT + 1n })).toEqual({
      end: 'empty',
      nextNonce: NEXT,
      obstacle: null,
    });
  });

  test('the nodes agree again: the obstacle is cleared', async () => {
    expect(await check({ lowest: NEXT, highest: NEXT }, 'nonce_behind')).toEqual({
      end: 'moved',
      nextNonce: NEXT,
      obstacle: null,
    });
  });
});
