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

test('several archives are followed, also one that an archive names, and a chain of them without end is not', async () => {
  const OLDEST = Principal.fromText('ryjl3-tyaaa-aaaaa-aaaba-cai');
  const further = (start: bigint, archive: Principal) => ({
    args: [{ start, length: 1n }],
    callback: [archive, 'get_blocks'],
  });
  const answer = (blocks: readonly object[], ...archived: readonly object[]) =>
    ({ log_length: 3n, blocks, archived_blocks: archived }) as unknown as BlocksAnswer;
  const answers: Readonly<Record<string, BlocksAnswer>> = {
    [LEDGER.toText()]: answer([told(2n, 12n)], further(1n, ARCHIVE), further(0n, ARCHIVE)),
    [ARCHIVE.toText()]: answer([told(1n, 11n)], further(0n, OLDEST)),
    [OLDEST.toText()]: answer([told(0n, 10n)]),
  };
  const call = (async (canisterId: Principal) => answers[canisterId.toText()]) as CertifiedCall;
  const { blocks } = await readBlocks(call, LEDGER, 0n, 3);
  expect(blocks.map(({ timestampNs }) => timestampNs)).toEqual([10n, 11n, 12n]);
  const endless = (async () => answer([], further(0n, ARCHIVE))) as unknown as CertifiedCall;
  await expect(readBlocks(endless, LEDGER, 0n, 1)).rejects.toThrow('too many archives');
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
