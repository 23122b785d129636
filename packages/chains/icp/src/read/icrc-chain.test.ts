// What a ledger and its archives tell, without the network between.
import { Principal } from '@icp-sdk/core/principal';
import { expect, test } from 'vitest';
import type { BlockValue } from './block-value.ts';
import type { CertifiedCall } from './certified-call.ts';
import { readBlocks } from './icrc-chain.ts';
import type { BlocksAnswer } from './log-candid.ts';

const LEDGER = Principal.fromText('bkyz2-fmaaa-aaaaa-qaaaq-cai');
const ARCHIVE = Principal.fromText('xevnm-gaaaa-aaaar-qafnq-cai');
const told = (id: bigint, time: bigint) => ({ id, block: { Map: [['ts', { Nat: time }]] } as unknown as BlockValue });

test('an archive takes the place of no block that it was not asked for', async () => {
  const answers: Readonly<Record<string, BlocksAnswer>> = {
    [LEDGER.toText()]: {
      log_length: 3n,
      blocks: [told(2n, 12n)],
      archived_blocks: [{ args: [{ start: 0n, length: 1n }], callback: [ARCHIVE, 'get_blocks'] }],
    } as unknown as BlocksAnswer,
    [ARCHIVE.toText()]: {
      log_length: 1n,
      blocks: [told(0n, 10n), told(0n, 99n), told(1n, 99n), told(2n, 99n)],
      archived_blocks: [],
    },
  };
  const call = (async (canisterId: Principal) => answers[canisterId.toText()]) as CertifiedCall;
  const { blocks } = await readBlocks(call, LEDGER, 0n, 3);
  expect(blocks.map(({ index, timestampNs }) => [index, timestampNs])).toEqual([[0n, 10n]]);
  expect((await readBlocks(call, LEDGER, 2n, 1)).blocks).toMatchObject([{ index: 2n, timestampNs: 12n }]);
});
