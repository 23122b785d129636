// What every ICRC-1, -2 and -3 ledger does. Runs against ours, and against the one that SVC_ICRC_LEDGER_WASM names.
import { readFileSync } from 'node:fs';
import type { IcrcLedgerCanister } from '@icp-sdk/canisters/ledger/icrc';
import {
  Cbor,
  Certificate,
  type HashTree,
  type HttpAgent,
  type Identity,
  lookup_path,
  reconstruct,
} from '@icp-sdk/core/agent';
import { leb128 } from '@svc-pay/protocol/icp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldOf, hashOfBlock } from '../../read/block-value.ts';
import { givenLedgerFile } from '../../testing/config.ts';
import { allBlocks, openLogActor } from '../../testing/log-actor.ts';
import { type LocalInternetComputer, startLocalInternetComputer } from '../start-local-internet-computer.ts';
import type { LocalLedger } from './install-ledger.ts';
import type { CandidAccount } from './ledger-candid.ts';
import { identityNamed, openAgent, openLedgerClient } from './ledger-client.ts';

const FEE = 10_000n;
const HOUR_MS = 3_600_000;
const SECOND = 1_000_000_000n;
const account = (identity: Identity, subaccount?: Uint8Array): CandidAccount => ({
  owner: identity.getPrincipal(),
  subaccount: subaccount === undefined ? [] : [subaccount],
});
const [alice, bob, shop] = [identityNamed('alice'), identityNamed('bob'), identityNamed('shop')];
const numbered = (last: number) => Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? last : 0));

const given = givenLedgerFile;
const skipped = 'skipped, SVC_ICRC_LEDGER_WASM names no ledger to compare with';
if (given === undefined)
  console.log('icrc-ledger: SKIPPED, SVC_ICRC_LEDGER_WASM names no other ledger to hold to the same rules');

describe.each([
  { name: 'our ledger', wasm: undefined, there: true },
  { name: given === undefined ? skipped : `the ledger in ${given}`, wasm: given, there: given !== undefined },
])('$name', ({ wasm, there }) => {
  let ic: LocalInternetComputer;
  let ledger: LocalLedger;
  let agent: HttpAgent;
  let asAlice: IcrcLedgerCanister;
  let asBob: IcrcLedgerCanister;

  beforeAll(async () => {
    if (!there) return;
    ic = await startLocalInternetComputer();
    ledger = await ic.installLedger({ fee: FEE, ...(wasm === undefined ? {} : { wasm: readFileSync(wasm) }) });
    agent = await openAgent(ic, alice);
    asAlice = await openLedgerClient(ic, ledger.canisterId, alice);
    asBob = await openLedgerClient(ic, ledger.canisterId, bob);
    await ledger.mint(account(alice), 1_000_000_000n);
  });
  afterAll(() => ic?.stop());

  const balance = (of: CandidAccount) =>
    asAlice.balance({
      owner: of.owner,
      ...(of.subaccount[0] ? { subaccount: of.subaccount[0] } : {}),
      certified: false,
    });
  const now = () => ic.nowNanoseconds();
  const fails = (sent: Promise<unknown>, errorType: object) => expect(sent).rejects.toMatchObject({ errorType });
  const blockAt = async (index: bigint) => (await allBlocks(agent, ledger.canisterId))[Number(index)];

  test.skipIf(!there)('says what token it is for', async () => {
    const metadata = new Map(await asAlice.metadata({ certified: false }));
    expect(metadata.get('icrc1:symbol')).toEqual({ Text: 'ckUSDC' });
    expect(metadata.get('icrc1:decimals')).toEqual({ Nat: 6n });
    expect(metadata.get('icrc1:fee')).toEqual({ Nat: FEE });
    expect(await asAlice.transactionFee({ certified: false })).toBe(FEE);
    const standards = await asAlice.icrc1SupportedStandards({ certified: false });
    expect(standards.map((standard: { name: string }) => standard.name)).toEqual(
      expect.arrayContaining(['ICRC-1', 'ICRC-2', 'ICRC-3']),
    );
    expect(await asAlice.getMintingAccount({ certified: false })).toEqual([ledger.mintingAccount]);
  });

  test.skipIf(!there)('moves the amount, takes the fee from the sender, and burns the fee', async () => {
    const [before, supply] = [await balance(account(alice)), await asAlice.totalTokensSupply({ certified: false })];
    const to = account(shop);
    const index = await asAlice.transfer({ to, amount: 250_000n, memo: Buffer.from('pi_1'), fee: FEE });
    expect(await balance(to)).toBe(250_000n);
    expect(await balance(account(alice))).toBe(before - 250_000n - FEE);
    expect(await asAlice.totalTokensSupply({ certified: false })).toBe(supply - FEE);
    expect(await asAlice.balance({ owner: to.owner, certified: true })).toBe(250_000n);
    const tx = fieldOf(await blockAt(index), 'tx');
    expect(fieldOf(tx, 'op')).toEqual({ Text: 'xfer' });
    expect(fieldOf(tx, 'amt')).toEqual({ Nat: 250_000n });
    expect(fieldOf(tx, 'fee')).toEqual({ Nat: FEE });
    expect(fieldOf(tx, 'memo')).toEqual({ Blob: new Uint8Array(Buffer.from('pi_1')) });
    expect(fieldOf(tx, 'from')).toEqual({ Array: [{ Blob: alice.getPrincipal().toUint8Array() }] });
    expect(fieldOf(tx, 'to')).toEqual({ Array: [{ Blob: shop.getPrincipal().toUint8Array() }] });
  });

  test.skipIf(!there)('knows a transfer again by its time for a day, and not without a time', async () => {
    await ledger.mint(account(bob), 10_000_000n);
    const transfer = { to: account(shop), amount: 5n, memo: Buffer.from('twice'), created_at_time: now() };
    const before = await balance(account(shop));
    const first = await asAlice.transfer(transfer);
    await fails(asAlice.transfer(transfer), { Duplicate: { duplicate_of: first } });
    await asAlice.transfer({ ...transfer, memo: Buffer.from('other') });
    await asBob.transfer(transfer);
    const { created_at_time: _, ...timeless } = transfer;
    await asAlice.transfer(timeless);
    await asAlice.transfer(timeless);
    expect(await balance(account(shop))).toBe(before + 25n);
  });

  test.skipIf(!there)('refuses another fee, more than there is, and the times that clocks do not explain', async () => {
    const to = account(shop);
    await fails(asAlice.transfer({ to, amount: 1n, fee: FEE + 1n }), { BadFee: { expected_fee: FEE } });
    await fails(asAlice.transfer({ to, amount: 1n, fee: 0n }), { BadFee: { expected_fee: FEE } });
    const poor = await openLedgerClient(ic, ledger.canisterId, identityNamed('poor'));
    await ledger.mint(account(identityNamed('poor')), 100n + FEE);
    await fails(poor.transfer({ to, amount: 101n }), { InsufficientFunds: { balance: 100n + FEE } });
    const old = { to, amount: 1n, created_at_time: now() - 25n * 3_600n * SECOND };
    await fails(asAlice.transfer(old), { TooOld: null });
    const early = { to, amount: 1n, created_at_time: now() + 600n * SECOND };
    await fails(asAlice.transfer(early), { CreatedInFuture: { ledger_time: expect.any(BigInt) } });
    await poor.transfer({ to, amount: 100n });
    expect(await balance(account(identityNamed('poor')))).toBe(0n);
  });

  test.skipIf(!there)('takes a memo of 32 bytes and traps on one of 33', async () => {
    const [to, before] = [account(shop), await balance(account(alice))];
    await asAlice.transfer({ to, amount: 1n, memo: new Uint8Array(32).fill(7) });
    await expect(asAlice.transfer({ to, amount: 1n, memo: new Uint8Array(33) })).rejects.toThrow(/trapped/);
    expect(await balance(account(alice))).toBe(before - 1n - FEE);
  });

  test.skipIf(!there)('keeps subaccounts apart, and takes 32 zero bytes for none', async () => {
    const [one, two, zero] = [account(bob, numbered(1)), account(bob, numbered(2)), account(bob, numbered(0))];
    const before = await balance(account(bob));
    const index = await asAlice.transfer({ to: one, amount: 70_000n });
    await asAlice.transfer({ to: zero, amount: 3n });
    expect([await balance(one), await balance(two), await balance(zero)]).toEqual([70_000n, 0n, before + 3n]);
    const owner = { Blob: bob.getPrincipal().toUint8Array() };
    expect(fieldOf(fieldOf(await blockAt(index), 'tx'), 'to')).toEqual({ Array: [owner, { Blob: numbered(1) }] });
    expect(fieldOf(fieldOf(await blockAt(index + 1n), 'tx'), 'to')).toEqual({ Array: [owner] });
    await asBob.transfer({ to: two, amount: 50_000n, from_subaccount: numbered(1) });
    expect([await balance(one), await balance(two)]).toEqual([10_000n, 50_000n]);
    await expect(asAlice.transfer({ to: account(bob, new Uint8Array(31)), amount: 1n })).rejects.toThrow();
  });

  test.skipIf(!there)('mints from the minting account and burns what is sent to it, both without a fee', async () => {
    const supply = await asAlice.totalTokensSupply({ certified: false });
    const minted = await ledger.mint(account(bob), 40_000n);
    const to = ledger.mintingAccount as { owner: typeof ledger.mintingAccount.owner; subaccount: [] };
    await fails(asBob.transfer({ to, amount: 1n }), { BadBurn: { min_burn_amount: expect.any(BigInt) } });
    await fails(asBob.transfer({ to, amount: 40_000n, fee: FEE }), { BadFee: { expected_fee: 0n } });
    const burnt = await asBob.transfer({ to, amount: 40_000n });
    expect(await asAlice.totalTokensSupply({ certified: false })).toBe(supply);
    const [mint, burn] = [await blockAt(minted), await blockAt(burnt)];
    expect([fieldOf(fieldOf(mint, 'tx'), 'op'), fieldOf(fieldOf(burn, 'tx'), 'op')]).toEqual([
      { Text: 'mint' },
      { Text: 'burn' },
    ]);
  });

  test.skipIf(!there)(
    'lets a spender take what it was allowed, with the fees, until the allowance expires',
    async () => {
      const spender = account(bob);
      const allowance = async () =>
        (await asAlice.allowance({ account: account(alice), spender, certified: false })).allowance;
      const from = account(alice);
      const to = account(shop);
      await fails(asBob.transferFrom({ from, to, amount: 5n }), { InsufficientAllowance: { allowance: 0n } });
      await asAlice.approve({ spender, amount: 100_000n });
      expect(await allowance()).toBe(100_000n);
      const index = await asBob.transferFrom({ from, to, amount: 30_000n });
      expect(await allowance()).toBe(60_000n);
      expect(fieldOf(fieldOf(await blockAt(index), 'tx'), 'spender')).toEqual({
        Array: [{ Blob: bob.getPrincipal().toUint8Array() }],
      });
      await fails(asBob.transferFrom({ from, to, amount: 60_000n }), { InsufficientAllowance: { allowance: 60_000n } });
      await fails(asAlice.approve({ spender, amount: 1n, expected_allowance: 5n }), {
        AllowanceChanged: { current_allowance: 60_000n },
      });
      await fails(asAlice.approve({ spender, amount: 1n, expires_at: now() - SECOND }), {
        Expired: { ledger_time: expect.any(BigInt) },
      });
      await asAlice.approve({ spender, amount: 500_000n, expires_at: now() + 60n * SECOND });
      ic.advance(61_000);
      expect(await allowance()).toBe(0n);
    },
  );

  test.skipIf(!there)('chains every block to the one before by its hash, and certifies the last', async () => {
    const blocks = await allBlocks(agent, ledger.canisterId);
    expect(blocks.length).toBeGreaterThan(10);
    const parents = blocks.map((block) => fieldOf(block, 'phash'));
    const hashes = blocks.map((block) => ({ Blob: new Uint8Array(hashOfBlock(block)) }));
    expect(parents).toEqual([undefined, ...hashes.slice(0, -1)]);
    const [tip] = await openLogActor(agent, ledger.canisterId).icrc3_get_tip_certificate();
    if (tip === undefined) throw new Error('no certificate');
    const { rootKey } = ic;
    const principal = { canisterId: ledger.canisterId };
    const certificate = await Certificate.create({ certificate: tip.certificate, rootKey, principal, agent });
    const tree = Cbor.decode<HashTree>(tip.hash_tree);
    const path = ['canister', ledger.canisterId.toUint8Array(), 'certified_data'];
    expect(certificate.lookup_path(path)).toMatchObject({ value: await reconstruct(tree) });
    expect(lookup_path(['last_block_hash'], tree)).toMatchObject({ value: hashes.at(-1)?.Blob });
    const last = leb128(BigInt(blocks.length - 1));
    expect(lookup_path(['last_block_index'], tree)).toMatchObject({ value: last });
    const other = await startLocalInternetComputer();
    await other.stop();
    const foreign = Certificate.create({ certificate: tip.certificate, rootKey: other.rootKey, principal, agent });
    await expect(foreign).rejects.toThrow(/signature/i);
  });

  test.skipIf(!there)(
    'answers for its blocks by a replicated call as by a query, without a certificate of the tip',
    async () => {
      const [asked, called] = [
        openLogActor(agent, ledger.canisterId),
        openLogActor(agent, ledger.canisterId, 'update'),
      ];
      const ranges = [
        { start: 1n, length: 2n },
        { start: 4n, length: 1n },
        { start: 1_000_000n, length: 5n },
      ];
      const answer = await asked.icrc3_get_blocks(ranges);
      expect(answer.blocks.map(({ id }) => id)).toEqual([1n, 2n, 4n]);
      expect(await called.icrc3_get_blocks(ranges)).toEqual(answer);
      expect(await called.icrc3_get_tip_certificate()).toEqual([]);
      const types = (await asked.icrc3_supported_block_types()).map(({ block_type }) => block_type);
      expect(types).toEqual(expect.arrayContaining(['1burn', '1mint', '1xfer', '2approve', '2xfer']));
    },
  );

  test.skipIf(!there)('calls a transfer of yesterday too old instead of executing it again', async () => {
    const transfer = { to: account(shop), amount: 9n, memo: Buffer.from('yesterday'), created_at_time: now() };
    await asAlice.transfer(transfer);
    ic.advance(25 * HOUR_MS);
    // The agent sets its clock by the network once, so a later day wants another one.
    const tomorrow = await openLedgerClient(ic, ledger.canisterId, alice);
    await fails(tomorrow.transfer(transfer), { TooOld: null });
  });
});
