import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { globalCounterWasm, probeWasm } from '../../testing/probe-canister.ts';
import { CanisterNetwork } from './canister-network.ts';
import { type LocalClock, openLocalClock } from './clock.ts';
import type { CanisterAnswer } from './message.ts';

const [FIRST, SECOND] = ['xevnm-gaaaa-aaaar-qafnq-cai', 'ryjl3-tyaaa-aaaaa-aaaba-cai'].map((text) =>
  Principal.fromText(text),
) as [Principal, Principal];
const ALICE = Uint8Array.of(...Array.from({ length: 28 }, () => 7), 2);

let wasm: Uint8Array;
let clock: LocalClock;
let network: CanisterNetwork;

beforeAll(async () => {
  wasm = await probeWasm();
}, 60_000);
beforeEach(() => {
  clock = openLocalClock();
  network = new CanisterNetwork(clock);
  for (const id of [FIRST, SECOND]) {
    network.install(
      { id: id.toUint8Array(), wasm, controllers: [], messageLimitMs: 5_000 },
      new Uint8Array(IDL.encode([IDL.Nat], [0n])),
    );
  }
});

const request = (method: string, types: IDL.Type[] = [], values: unknown[] = [], canister = FIRST) => ({
  canister: canister.toUint8Array(),
  caller: ALICE,
  method,
  arg: new Uint8Array(IDL.encode(types, values)),
});
const call = (method: string, types: IDL.Type[] = [], values: unknown[] = [], canister = FIRST) =>
  network.call(request(method, types, values, canister));
const ask = (method: string, canister = FIRST) =>
  network.query(request(method, [], [], canister), () => Uint8Array.of(1, 2, 3));
const read = (answer: CanisterAnswer, type: IDL.Type = IDL.Nat) => {
  if (answer.kind !== 'reply') throw new Error(answer.message);
  return IDL.decode([type], answer.reply)[0];
};

test('a call changes a canister, and a query reads what it changed', async () => {
  expect(read(await call('add', [IDL.Nat], [3n]))).toBe(3n);
  expect(read(await call('add', [IDL.Nat], [4n]))).toBe(7n);
  expect(read(ask('get'))).toBe(7n);
  expect(read(await call('whoami'), IDL.Principal)).toEqual(Principal.fromUint8Array(ALICE));
});

test('a query that writes, and grows the memory, changes nothing, asked as a query or by a call', async () => {
  const written = request('addInQuery', [IDL.Nat], [5n]);
  expect(read(network.query(written, () => new Uint8Array()))).toBe(5n);
  expect(read(ask('get'))).toBe(0n);
  expect(read(await network.call(written))).toBe(5n);
  expect(read(ask('get'))).toBe(0n);
  expect(read(await call('add', [IDL.Nat], [1n]))).toBe(1n);
});

test('a call that traps leaves memory, grown memory, stable memory and certified data as they were', async () => {
  await call('add', [IDL.Nat], [2n]);
  await call('store', [IDL.Nat64], [41n]);
  await call('certify', [IDL.Vec(IDL.Nat8)], [Uint8Array.of(9)]);
  for (let times = 0; times < 3; times += 1) {
    expect(await call('addThenTrap', [IDL.Nat], [5n])).toMatchObject({ kind: 'reject', code: 5, errorCode: 'IC0503' });
  }
  expect(read(ask('get'))).toBe(2n);
  expect(read(ask('stored'), IDL.Nat64)).toBe(41n);
  expect(network.find(FIRST.toUint8Array())?.certifiedData).toEqual(Uint8Array.of(9));
  expect(read(await call('add', [IDL.Nat], [1n]))).toBe(3n);
});

test('only a query has a data certificate', async () => {
  const type = IDL.Opt(IDL.Vec(IDL.Nat8));
  expect(read(ask('certificate'), type)).toEqual([Uint8Array.of(1, 2, 3)]);
  expect(read(await call('certificate'), type)).toEqual([]);
});

test('a canister calls another, and its answer comes back through the callback', async () => {
  expect(read(await call('addAt', [IDL.Principal, IDL.Nat], [SECOND, 6n]))).toBe(6n);
  expect([read(ask('get')), read(ask('get', SECOND))]).toEqual([1n, 6n]);
});

test('a callback that traps keeps what was done before the call, and what the other canister did', async () => {
  expect(await call('trapAfterCall', [IDL.Principal], [SECOND])).toMatchObject({ kind: 'reject', code: 5 });
  expect([read(ask('get')), read(ask('get', SECOND))]).toEqual([10n, 1n]);
  expect(read(await call('add', [IDL.Nat], [1n]))).toBe(11n);
});

test('a canister catches the trap of another, which changed nothing there', async () => {
  expect(read(await call('catchAt', [IDL.Principal], [SECOND]), IDL.Text)).toBe('caught');
  expect([read(ask('get')), read(ask('get', SECOND))]).toEqual([1n, 0n]);
});

test('a call to no canister or to no method is rejected by its own code', async () => {
  const nobody = Principal.fromText('rrkah-fqaaa-aaaaa-aaaaq-cai');
  expect(await call('get', [], [], nobody)).toMatchObject({ kind: 'reject', code: 3, errorCode: 'IC0301' });
  expect(await call('nothing')).toMatchObject({ kind: 'reject', code: 5, errorCode: 'IC0536' });
  expect(await call('catchAt', [IDL.Principal], [nobody])).toMatchObject({ kind: 'reply' });
});

test('a timer fires when the clock says so, and not before', async () => {
  await call('addIn', [IDL.Nat], [3_600n]);
  clock.advance(3_599_000);
  await call('whoami');
  expect(read(ask('get'))).toBe(0n);
  clock.advance(2_000);
  await expect.poll(() => read(ask('get'))).toBe(1n);
});

test('a timer fires by itself when its time passes', async () => {
  await call('addIn', [IDL.Nat], [1n]);
  await expect.poll(() => read(ask('get')), { timeout: 5_000 }).toBe(1n);
});

test('a global that a 32-bit module does not export comes back after a trap and after a query', async () => {
  const id = Principal.fromText('rrkah-fqaaa-aaaaa-aaaaq-cai');
  const wasm = gzipSync(globalCounterWasm());
  const options = { id: id.toUint8Array(), wasm, controllers: [], messageLimitMs: 5_000 };
  const canister = network.install(options, new Uint8Array());
  const reply = (count: number) => ({ kind: 'reply', reply: Uint8Array.of(count, 0, 0, 0) });
  expect(await call('inc', [], [], id)).toEqual(reply(1));
  expect(await call('incThenTrap', [], [], id)).toMatchObject({ kind: 'reject', errorCode: 'IC0503' });
  expect(await call('inc', [], [], id)).toEqual(reply(2));
  expect(ask('get', id)).toEqual(reply(2));
  expect(canister.moduleHash).toEqual(createHash('sha256').update(wasm).digest());
});

test('a message that takes too long traps at its next call of the system', async () => {
  const id = Principal.fromText('rrkah-fqaaa-aaaaa-aaaaq-cai');
  const options = { id: id.toUint8Array(), wasm, controllers: [], messageLimitMs: 2_000 };
  network.install(options, new Uint8Array(IDL.encode([IDL.Nat], [0n])));
  expect(await call('spin', [], [], id)).toMatchObject({ kind: 'reject', errorCode: 'IC0503' });
  expect(read(ask('get', id))).toBe(0n);
});

test('what is no module, or lacks a memory, is refused', () => {
  const install = (wasm: Uint8Array) =>
    network.install({ id: Uint8Array.of(1), wasm, controllers: [], messageLimitMs: 100 }, new Uint8Array());
  expect(() => install(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))).toThrow('not a WebAssembly module');
  expect(() => install(globalCounterWasm().subarray(0, 8))).toThrow('no memory');
  expect(() => install(globalCounterWasm().subarray(0, 40))).toThrow('ends early');
});
