import type { HttpAgent } from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldOf, hashOfBlock } from '../../read/block-value.ts';
import { allBlocks, openLogActor } from '../../testing/log-actor.ts';
import { type LocalInternetComputer, startLocalInternetComputer } from '../start-local-internet-computer.ts';
import type { LocalLedger } from './install-ledger.ts';
import { identityNamed, openAgent, openLedgerClient } from './ledger-client.ts';

const alice = { owner: identityNamed('alice').getPrincipal(), subaccount: [] as [] };

let ic: LocalInternetComputer;
let ledger: LocalLedger;
let agent: HttpAgent;

beforeAll(async () => {
  ic = await startLocalInternetComputer();
  ledger = await ic.installLedger({ archive: { above: 6, count: 4 } });
  agent = await openAgent(ic, identityNamed('alice'));
});
afterAll(() => ic.stop());

/** Mints block after block, and waits until the archive has taken what is due. */
async function mintBlocks(count: number, archived: bigint): Promise<void> {
  for (let minted = 0; minted < count; minted += 1) await ledger.mint(alice, BigInt(minted + 1));
  const log = openLogActor(agent, ledger.archiveId);
  await expect.poll(async () => (await log.icrc3_get_blocks([])).log_length, { timeout: 10_000 }).toBe(archived);
}

test('the oldest blocks move to the archive, and the ledger says where they are', async () => {
  const log = openLogActor(agent, ledger.canisterId);
  await mintBlocks(6, 0n);
  expect(await log.icrc3_get_archives({ from: [] })).toEqual([]);
  await mintBlocks(1, 4n);
  const answer = await log.icrc3_get_blocks([
    { start: 0n, length: 2n },
    { start: 3n, length: 3n },
  ]);
  expect(answer.log_length).toBe(7n);
  expect(answer.blocks.map(({ id }) => id)).toEqual([4n, 5n]);
  const [archived, ...more] = answer.archived_blocks;
  expect(more).toEqual([]);
  expect(archived?.args).toEqual([
    { start: 0n, length: 2n },
    { start: 3n, length: 1n },
  ]);
  expect(archived?.callback[0].toText()).toBe(ledger.archiveId.toText());
  expect(archived?.callback[1]).toBe('icrc3_get_blocks');
  const [archive] = await log.icrc3_get_archives({ from: [] });
  expect(archive).toEqual({ canister_id: ledger.archiveId, start: 0n, end: 3n });
  expect(await log.icrc3_get_archives({ from: [ledger.archiveId] })).toEqual([]);
});

test('blocks of the archive and of the ledger are one chain, by a query and by a replicated call', async () => {
  await mintBlocks(20, 24n);
  const blocks = await allBlocks(agent, ledger.canisterId);
  expect(blocks).toHaveLength(27);
  for (const [index, block] of blocks.slice(1).entries()) {
    const parent = blocks[index];
    expect(fieldOf(block, 'phash')).toEqual({ Blob: new Uint8Array(hashOfBlock(parent!)) });
  }
  const called = openLogActor(agent, ledger.archiveId, 'update');
  const { blocks: oldest } = await called.icrc3_get_blocks([{ start: 0n, length: 1n }]);
  expect(oldest).toEqual([{ id: 0n, block: blocks[0] }]);
});

test('nobody but its ledger adds blocks to an archive', async () => {
  const value = IDL.Vec(IDL.Variant({ Text: IDL.Text }));
  const arg = new Uint8Array(IDL.encode([IDL.Nat, value], [24n, [{ Text: 'forged' }]]));
  const sent = agent.update(ledger.archiveId, {
    methodName: 'append_blocks',
    arg,
    effectiveCanisterId: ledger.archiveId,
  });
  await expect(sent).rejects.toThrow(/only the ledger adds blocks/);
  expect((await openLogActor(agent, ledger.archiveId).icrc3_get_blocks([])).log_length).toBe(24n);
});

test('a ledger with typed blocks says the kind of a block beside its transaction, and chains blocks all the same', async () => {
  const typed = await ic.installLedger({ canisterId: 'mxzaz-hqaaa-aaaar-qaada-cai', typedBlocks: true });
  await typed.mint(alice, 1_000_000n);
  const client = await openLedgerClient(ic, typed.canisterId, identityNamed('alice'));
  await client.transfer({ to: { owner: identityNamed('bob').getPrincipal(), subaccount: [] }, amount: 5n });
  const [mint, transfer] = await allBlocks(agent, typed.canisterId);
  expect([fieldOf(mint, 'btype'), fieldOf(transfer, 'btype')]).toEqual([{ Text: '1mint' }, { Text: '1xfer' }]);
  expect(fieldOf(fieldOf(transfer, 'tx'), 'op')).toBeUndefined();
  expect(fieldOf(transfer, 'fee')).toEqual({ Nat: typed.fee });
  expect(fieldOf(transfer, 'phash')).toEqual({ Blob: new Uint8Array(hashOfBlock(mint!)) });
});
