// The chain reader against the recording of a provider: the double answers as the provider did. The recording is of Anvil
// behind a proxy with Alchemy's quirks, with an exact, a direct and an up-to payment of a rehearsal. To write it again:
// SVC_WRITE_RECORDING=<file> npx vitest run --project long tests/e2e/rehearse.long.test.ts
import path from 'node:path';
import { RangeTooLarge, type ReaderSource } from '@svc-pay/core';
import { expect, onTestFinished, test } from 'vitest';
import { createLogPost } from '../reader/post-log-calls.ts';
import { createReaderNode } from '../reader/reader-node.ts';
import { createEndpointPool, type EndpointTrouble } from '../rpc/endpoint-pool.ts';
import { type Exchange, readRecording } from './recording.ts';
import { startRpcReplayer } from './replay-rpc.ts';

const recording = readRecording(path.join(import.meta.dirname, '../testing/recordings/alchemy-quirks.jsonl'));

type Filter = { readonly address: readonly string[]; readonly fromBlock: string; readonly toBlock: string };
const filterOf = ({ calls: [call] }: Exchange): Filter | undefined =>
  call?.method === 'eth_getLogs' ? (call.params as readonly [Filter])[0] : undefined;
const filters = recording.exchanges.flatMap((exchange) => filterOf(exchange) ?? []);
const rangeOf = ({ fromBlock, toBlock }: Filter) => ({ from: BigInt(fromBlock), to: BigInt(toBlock) });

async function double() {
  const replayer = await startRpcReplayer(recording);
  onTestFinished(() => replayer.close());
  const troubles: EndpointTrouble[] = [];
  const pool = createEndpointPool({
    urls: [replayer.url],
    timeoutMs: 2_000,
    patienceMs: 4_000,
    post: createLogPost(1_000_000),
    onChange: (_, trouble) => troubles.push(trouble),
  });
  return { node: createReaderNode(pool.endpoints[0]), replayer, troubles };
}

/** An address that logs payments is the processor. */
function sourcesOf(): readonly ReaderSource[] {
  const [processor = '', token = ''] = filters[0]?.address ?? [];
  return [
    { address: processor, kind: 'processor' },
    { address: token, kind: 'token' },
  ];
}

/** A refused request is asked again, as the services do by their next round. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (problem) {
      if (problem instanceof RangeTooLarge || attempt === 3) throw problem;
    }
  }
}

test('a range over the provider’s bound is refused as too large, and the endpoint stays in use', async () => {
  const { node, troubles } = await double();
  const wide = filters.map(rangeOf).find(({ from, to }) => to - from >= 10n);
  if (wide === undefined) throw new Error('the recording has no range over the bound');
  await expect(patiently(() => node.readLogs(wide, sourcesOf()))).rejects.toThrow(RangeTooLarge);
  expect(troubles.filter((trouble) => trouble === 'no answer')).toEqual([]);
});

test('smaller ranges give every payment of the rehearsal, and receipts prove them', async () => {
  const { node, replayer } = await double();
  const narrow = filters.map(rangeOf).filter(({ from, to }) => to - from < 10n);
  const logs = [];
  for (const range of new Map(narrow.map((one) => [one.from, one])).values())
    logs.push(...(await patiently(() => node.readLogs(range, sourcesOf()))));
  const uses = logs.flatMap((log) => (log.event === 'authorization_used' ? [log] : []));
  const settled = logs.flatMap((log) => (log.event === 'payment_settled' ? [log] : []));
  expect(settled.map(({ amountAtomic, feeAtomic }) => [amountAtomic, feeAtomic])).toEqual([
    [10_007n, 100n],
    [10_011n, 100n],
  ]);
  const evidence = await patiently(() => node.readEvidence(uses));
  expect(evidence.map((one) => one?.transfer?.valueAtomic)).toEqual([10_007n, 10_009n, 50_038n]);
  expect(replayer.missed()).toEqual([]);
});

test('nothing of the recording names an address of the network or a key', () => {
  const text = JSON.stringify(recording);
  expect(text).not.toMatch(/https?:\/\//);
  expect(recording.head).toMatchObject({ network: 'eip155:84532', provider: 'local' });
});
