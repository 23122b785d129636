import { parseNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { prepareMessage } from '../prepare/prepare-message.ts';
import { verifyMessage } from '../verify/verify-message.ts';
import { openClusters } from './open-clusters.ts';

const PROGRAM = 'SvcPayTest111111111111111111111111111111111';
const clusterOf = (name: string, program?: string) => {
  const network = parseNetwork(name)!;
  const settings = { rpcUrls: ['http://127.0.0.1:9'], feeAccount: PROGRAM, program } as const;
  return openClusters(new Map([[network, settings]]), 100).get(network);
};

test('a program that an operator names for a live network is not used; a test network’s is', () => {
  expect(clusterOf('solana:mainnet', PROGRAM)?.program).toBeUndefined();
  expect(clusterOf('solana:devnet', PROGRAM)?.program).toBe(PROGRAM);
});

test('without a program no text is written and none is taken, and nothing is asked of anybody', async () => {
  const untouched = new Proxy({}, { get: () => expect.unreachable('asked') }) as never;
  for (const cluster of [clusterOf('solana:mainnet', PROGRAM), clusterOf('solana:devnet'), undefined]) {
    const wanted = { acceptance: {}, payer: PROGRAM } as unknown as Parameters<typeof prepareMessage>[2];
    const refusal = { ok: false, code: 'not_available' };
    expect(await prepareMessage(untouched, cluster, wanted, untouched)).toEqual(refusal);
    expect(await verifyMessage(untouched, cluster, {} as never, {} as never)).toEqual(refusal);
  }
});
