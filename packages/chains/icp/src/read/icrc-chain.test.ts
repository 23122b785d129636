// What a ledger and its archives tell, without the network between.
import { Principal } from '@icp-sdk/core/principal';
import { expect, test } from 'vitest';
import type { BlockValue } from './block-value.ts';
import type { CertifiedCall } from './certified-call.ts';
import { readBlocks } from './icrc-chain.ts';
import type { BlocksAnswer } from './log-candid.ts';
import { readBlock } from './read-block.ts';

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

const text = (Text: string): BlockValue => ({ Text });
const owner = (byte: number): BlockValue => ({ Array: [{ Blob: Uint8Array.of(byte) }] });

/** Debits one account and credits another, as a transfer does; what the block is called differs. */
function movement({ btype, op }: { readonly btype?: string; readonly op?: string }): BlockValue {
  const tx: [string, BlockValue][] = [
    ['from', owner(1)],
    ['to', owner(2)],
    ['amt', { Nat: 5n }],
    ...(op === undefined ? [] : [['op', text(op)] as [string, BlockValue]]),
  ];
  return {
    Map: [['tx', { Map: tx }], ...(btype === undefined ? [] : [['btype', text(btype)] as [string, BlockValue]])],
  };
}

test.each([
  [{ btype: '1xfer' }, true],
  [{ btype: '2xfer' }, true],
  [{ op: 'xfer' }, true],
  [{ btype: '1mint', op: 'xfer' }, false],
  [{ btype: '9hold' }, false],
  [{ op: 'hold' }, false],
  [{}, false],
])('a block counts by what it is called, not by the accounts that it has: %j', (named, counts) => {
  expect(readBlock(0n, movement(named)).transfer !== null).toBe(counts);
});
