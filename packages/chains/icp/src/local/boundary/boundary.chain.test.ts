import { randomBytes, webcrypto } from 'node:crypto';
import {
  Cbor,
  Expiry,
  HttpAgent,
  type Identity,
  QueryResponseStatus,
  requestIdOf,
  SubmitRequestType,
} from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import { DelegationChain, DelegationIdentity, ECDSAKeyIdentity, Ed25519KeyIdentity } from '@icp-sdk/core/identity';
import { Secp256k1KeyIdentity } from '@icp-sdk/core/identity/secp256k1';
import { Principal } from '@icp-sdk/core/principal';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { probeWasm } from '../../testing/probe-canister.ts';
import { type LocalInternetComputer, startLocalInternetComputer } from '../start-local-internet-computer.ts';
import { noFaults } from './faults.ts';

const ID = 'xevnm-gaaaa-aaaar-qafnq-cai';
const CANISTER = Principal.fromText(ID);
const alice = Ed25519KeyIdentity.generate();

let ic: LocalInternetComputer;
const nat = (value: bigint) => new Uint8Array(IDL.encode([IDL.Nat], [value]));

beforeAll(async () => {
  ic = await startLocalInternetComputer();
  ic.install({ canisterId: ID, wasm: await probeWasm(), arg: nat(0n), controllers: [alice.getPrincipal()] });
});
afterAll(() => ic.stop());
beforeEach(() => Object.assign(ic.faults, noFaults()));

/** An agent with every check on, and the root key pinned. */
const agentFor = (identity: Identity, rootKey = ic.rootKey) =>
  HttpAgent.create({ host: ic.url, identity, rootKey, verifyQuerySignatures: true, retryTimes: 0 });

async function add(agent: HttpAgent, by = 1n): Promise<bigint> {
  const { reply } = await agent.update(CANISTER, { methodName: 'add', arg: nat(by), effectiveCanisterId: CANISTER });
  return IDL.decode([IDL.Nat], reply)[0] as unknown as bigint;
}

async function count(agent: HttpAgent): Promise<bigint> {
  const answer = await agent.query(CANISTER, { methodName: 'get', arg: new Uint8Array(IDL.encode([], [])) });
  if (answer.status !== QueryResponseStatus.Replied) throw new Error(answer.reject_message);
  return IDL.decode([IDL.Nat], answer.reply.arg)[0] as unknown as bigint;
}

async function countNow(): Promise<bigint> {
  Object.assign(ic.faults, noFaults());
  return count(await agentFor(alice));
}

/** The bytes of a signed call, so that a test can change them or send them twice. */
async function signedCall(identity: Identity, changed: object = {}) {
  const content = {
    request_type: SubmitRequestType.Call,
    canister_id: CANISTER,
    method_name: 'add',
    arg: nat(1n),
    sender: identity.getPrincipal(),
    ingress_expiry: Expiry.fromDeltaInMilliseconds(120_000),
    nonce: randomBytes(16),
    ...changed,
  };
  const request = { request: {}, endpoint: 'call', body: content };
  const { body } = (await identity.transformRequest(request as never)) as { body: Record<string, unknown> };
  return { content, body, requestId: requestIdOf(content) };
}

async function post(body: unknown, action = 'call', version = 4, id = ID) {
  const url = `${ic.url}/api/v${version}/canister/${id}/${action}`;
  const response = await fetch(url, { method: 'POST', body: Buffer.from(Cbor.encode(body)) });
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

const textOf = ({ status, bytes }: { status: number; bytes: Uint8Array }) => [status, Buffer.from(bytes).toString()];

test('an agent with the root key pinned calls and queries, with each kind of key', async () => {
  const p256 = await ECDSAKeyIdentity.generate({
    extractable: false,
    keyUsages: ['sign'],
    subtleCrypto: webcrypto.subtle as never,
  });
  for (const identity of [alice, Secp256k1KeyIdentity.generate(), p256]) {
    const agent = await agentFor(identity);
    const before = await count(agent);
    expect(await add(agent, 2n)).toBe(before + 2n);
    expect(await count(agent)).toBe(before + 2n);
    const { reply } = await agent.update(CANISTER, {
      methodName: 'whoami',
      arg: new Uint8Array(IDL.encode([], [])),
      effectiveCanisterId: CANISTER,
    });
    expect(IDL.decode([IDL.Principal], reply)).toEqual([identity.getPrincipal()]);
  }
});

test('a chain of delegations acts for its first key, at the canisters that it names, until it expires', async () => {
  const [middle, session] = [Ed25519KeyIdentity.generate(), Secp256k1KeyIdentity.generate()];
  const later = new Date(Date.now() + 600_000);
  const chain = async (expiry: Date, targets?: Principal[]) => {
    const first = await DelegationChain.create(alice, middle.getPublicKey(), later, targets ? { targets } : {});
    const both = await DelegationChain.create(middle, session.getPublicKey(), expiry, { previous: first });
    return DelegationIdentity.fromDelegation(session, both);
  };
  const good = await chain(later, [CANISTER]);
  expect(good.getPrincipal().toText()).toBe(alice.getPrincipal().toText());
  const agent = await agentFor(good);
  const before = await count(agent);
  expect(await add(agent)).toBe(before + 1n);
  for (const [identity, words] of [
    [await chain(new Date(Date.now() - 1_000)), 'expired'],
    [await chain(later, [Principal.fromText('ryjl3-tyaaa-aaaaa-aaaba-cai')]), 'not for this canister'],
  ] as const) {
    const refused = textOf(await post((await signedCall(identity)).body));
    expect(refused).toEqual([403, expect.stringContaining(words)]);
  }
  const { body } = await signedCall(good);
  const [one, two] = body['sender_delegation'] as { signature: Uint8Array }[];
  const swapped = { ...body, sender_delegation: [{ ...one, signature: two?.signature }, two] };
  expect(textOf(await post(swapped))).toEqual([403, expect.stringContaining('does not fit')]);
  expect(await countNow()).toBe(before + 1n);
});

test('a request is refused when it is not what its key signed, or when another key signed it', async () => {
  const before = await countNow();
  const { body, content } = await signedCall(alice);
  const mallory = Ed25519KeyIdentity.generate();
  const asAlice = await mallory.transformRequest({ request: {}, endpoint: 'call', body: content } as never);
  const { body: stolen } = asAlice as { body: Record<string, unknown> };
  for (const [changed, words] of [
    [{ ...body, content: { ...content, arg: nat(1_000n) } }, 'does not fit'],
    [stolen, 'not the hash of its public key'],
    [{ ...stolen, sender_pubkey: body['sender_pubkey'] }, 'does not fit'],
    [{ content }, 'not signed'],
    [{ content: { ...content, sender: Principal.anonymous() }, sender_sig: body['sender_sig'] }, 'anonymous'],
    [{ ...body, content: { ...content, extra: 1 } }, 'unknown field'],
  ] as const) {
    expect(textOf(await post(changed))).toEqual([expect.toBeOneOf([400, 403]), expect.stringContaining(words)]);
  }
  expect(textOf(await post(body, 'query'))).toEqual([400, 'the request is of another type']);
  const elsewhere = 'ryjl3-tyaaa-aaaaa-aaaba-cai';
  expect(textOf(await post(body, 'call', 4, elsewhere))).toEqual([400, 'the address names another canister']);
  expect(await countNow()).toBe(before);
});

test('a request that has expired, or would live longer than five minutes, is refused', async () => {
  for (const delta of [-1_000, 8 * 60_000]) {
    const ingress_expiry = BigInt(Date.now() + delta) * 1_000_000n;
    const { body } = await signedCall(alice, { ingress_expiry });
    expect(textOf(await post(body))).toEqual([400, expect.stringMatching(/^Invalid request expiry: /)]);
  }
});

test('the same request sent again, by either version, executes once', async () => {
  const before = await countNow();
  const { body } = await signedCall(alice);
  expect((await post(body, 'call', 2)).status).toBe(202);
  expect((await post(body, 'call', 4)).status).toBe(200);
  expect((await post(body, 'call', 3)).status).toBe(200);
  expect(await countNow()).toBe(before + 1n);
});

test('only the sender of a request reads its status', async () => {
  const { body, requestId } = await signedCall(alice);
  await post(body);
  const paths = [[Buffer.from('request_status'), requestId]];
  const read = async (identity: Identity) => {
    const content = {
      request_type: 'read_state',
      paths: paths.map((path) => path.map((label) => new Uint8Array(label))),
      sender: identity.getPrincipal(),
      ingress_expiry: Expiry.fromDeltaInMilliseconds(120_000),
    };
    const signed = await identity.transformRequest({ request: {}, endpoint: 'read_state', body: content } as never);
    return post((signed as { body: unknown }).body, 'read_state', 3);
  };
  expect((await read(alice)).status).toBe(200);
  expect(textOf(await read(Ed25519KeyIdentity.generate()))).toEqual([403, 'the request is of another sender']);
});

test('a call whose answer is lost has executed, and the same bytes sent again bring its answer', async () => {
  const before = await countNow();
  ic.faults.loseReplies = 1;
  const { body } = await signedCall(alice);
  await expect(post(body)).rejects.toThrow('fetch failed');
  expect(await count(await agentFor(alice))).toBe(before + 1n);
  expect((await post(body)).status).toBe(200);
  expect(await countNow()).toBe(before + 1n);
});

test('in asynchronous mode a call is processing for a while, and the agent waits for its answer', async () => {
  const before = await countNow();
  Object.assign(ic.faults, { asynchronous: true, processingMs: 300 });
  expect(await add(await agentFor(alice))).toBe(before + 1n);
});

test('an agent refuses a forged certificate, one under another root key, and one that is too old', async () => {
  const before = await countNow();
  const fails = async (words: RegExp) => {
    await expect(add(await agentFor(alice))).rejects.toThrow(words);
  };
  ic.faults.certificates = 'forged';
  await fails(/signature/i);
  ic.faults.certificates = 'foreign';
  await fails(/signature/i);
  ic.faults.certificates = 'true';
  ic.faults.certificateAgeMs = 20 * 60_000;
  await fails(/certificate is signed more than/i);
  // The calls themselves executed: an answer that cannot be believed says nothing about that.
  expect(await countNow()).toBe(before + 3n);
});

test('an agent that sets its clock by the network believes certificates that are all equally old', async () => {
  // Who uses the agent has to compare the time of a certificate with a clock of its own.
  const before = await countNow();
  Object.assign(ic.faults, { certificateAgeMs: 20 * 60_000, staleTime: true });
  expect(await add(await agentFor(alice))).toBe(before + 1n);
});

test('an agent that pins another root key believes nothing', async () => {
  const other = await startLocalInternetComputer();
  await other.stop();
  const agent = await agentFor(alice, other.rootKey);
  await expect(count(agent)).rejects.toThrow(/signature/i);
  await expect(add(agent)).rejects.toThrow(/signature/i);
});

test('an agent refuses the answer to a query whose signature does not fit, and believes a node that lies', async () => {
  ic.faults.forgedQuerySignatures = true;
  await expect(count(await agentFor(alice))).rejects.toThrow(/signature/i);
  ic.faults.forgedQuerySignatures = false;
  ic.faults.lie = ({ method }) => (method === 'get' ? nat(999_999n) : undefined);
  const agent = await agentFor(alice);
  expect(await count(agent)).toBe(999_999n);
  const arg = new Uint8Array(IDL.encode([], []));
  const { reply } = await agent.update(CANISTER, { methodName: 'get', arg, effectiveCanisterId: CANISTER });
  expect(IDL.decode([IDL.Nat], reply)[0]).not.toBe(999_999n);
});

test('a boundary that is down answers nothing', async () => {
  ic.faults.down = true;
  await expect(post((await signedCall(alice)).body)).rejects.toThrow('fetch failed');
});

test('a body that is too large, no CBOR or no envelope is refused', async () => {
  const url = `${ic.url}/api/v4/canister/${ID}/call`;
  const send = async (body: Uint8Array) => {
    const response = await fetch(url, { method: 'POST', body: Buffer.from(body) });
    return [response.status, await response.text()];
  };
  expect(await send(new Uint8Array(4 * 1024 * 1024))).toEqual([413, 'the body is too large']);
  expect(await send(Uint8Array.of(0x9f, 0x1c))).toEqual([400, 'the body is not CBOR']);
  expect(await send(Cbor.encode([1]))).toEqual([400, 'the envelope is no map']);
  const { body } = await signedCall(alice, { nonce: new Uint8Array(33) });
  expect(textOf(await post(body))).toEqual([400, 'nonce is no bytes, or too many']);
  const paths = Array.from({ length: 1_001 }, () => [Buffer.from('time')]);
  const content = { request_type: 'read_state', sender: Principal.anonymous(), ingress_expiry: 1n, paths };
  expect(textOf(await post({ content }, 'read_state', 3))).toEqual([400, 'paths is no list, or too long']);
});
