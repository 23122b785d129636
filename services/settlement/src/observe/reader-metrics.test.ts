import type { ReaderMeasures } from '@svc-pay/postgres/settlement-service';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createReaderMetrics } from './reader-metrics.ts';

const NOTHING: ReaderMeasures = { cursors: [], unapplied: [], references: [], tokenLedgers: [] };
const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const told = { network: 'icp:local', ledgers: [LEDGER], lateSeconds: 3, stopped: 0, transfers: 0, oldestSeconds: 0 };

async function unread(seen: ReaderMeasures | undefined): Promise<readonly string[]> {
  const registry = new Registry();
  createReaderMetrics(registry, ['eip155:8453', 'icp:local']).show(seen);
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('reader_token_ledgers_unread{'));
}

test('a token ledger that is configured and was never read is counted until it has a cursor', async () => {
  expect(await unread(NOTHING)).toEqual(['reader_token_ledgers_unread{network="icp:local"} 1']);
  expect(await unread({ ...NOTHING, tokenLedgers: [told] })).toEqual([
    'reader_token_ledgers_unread{network="icp:local"} 0',
  ]);
  expect(await unread({ ...NOTHING, tokenLedgers: [{ ...told, ledgers: ['another'] }] })).toEqual([
    'reader_token_ledgers_unread{network="icp:local"} 1',
  ]);
});

test('nothing is told of token ledgers while the database says nothing', async () => {
  expect(await unread(undefined)).toEqual([]);
});
