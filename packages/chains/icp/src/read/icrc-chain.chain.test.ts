// A ledger's blocks as the chain reader sees them, over a real boundary with certificates.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { IC_ROOT_KEY } from '@icp-sdk/core/agent';
import {
  accountText,
  ChainUnavailable,
  type IcrcChain,
  judgeBlocks,
  memoOfIntent,
  PUBLIC_ROOT_KEY,
  type TokenBlock,
} from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  identityNamed,
  type LocalInternetComputer,
  type LocalLedger,
  openLedgerClient,
  startLocalInternetComputer,
} from '../local/index.ts';
import { forgeTransfer } from '../testing/forge-transfer.ts';
import { createIcrcChain } from './icrc-chain.ts';

const network = 'icp:local' as NetworkId;
const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const [alice, bob, carol] = [identityNamed('alice'), identityNamed('bob'), identityNamed('carol')];
const accountOf = (identity: typeof alice, subaccount?: Uint8Array) =>
  accountText(identity.getPrincipal().toUint8Array(), subaccount ?? null);
const SUBACCOUNT = new Uint8Array(32).fill(5);

let ic: LocalInternetComputer;
let ledger: LocalLedger;
let chain: IcrcChain;

beforeAll(async () => {
  ic = await startLocalInternetComputer();
  ledger = await ic.installLedger({ canisterId: LEDGER, archive: { above: 6, count: 4 } });
  chain = createIcrcChain(network, { urls: [ic.url], rootKey: ic.rootKey, timeoutMs: 20_000 });
});
afterAll(() => ic.stop());

const faultless = { down: false, delayMs: 0, certificates: 'true', certificateAgeMs: 0, staleTime: false } as const;
afterEach(() => {
  Object.assign(ic.faults, faultless, { loseReplies: 0, asynchronous: false, processingMs: 0, expiredCalls: false });
});

async function blockAt(index: bigint): Promise<TokenBlock | undefined> {
  return (await chain.blocks(LEDGER, index, 1)).blocks[0];
}

test('the pinned root key is the published one', () => {
  expect(PUBLIC_ROOT_KEY).toBe(IC_ROOT_KEY);
});

test('the ledger tells its facts', async () => {
  expect(chain.ledgers).toEqual([LEDGER]);
  expect(await chain.facts(LEDGER)).toEqual({
    symbol: 'ckUSDC',
    decimals: 6,
    feeAtomic: 10_000n,
    mintingAccount: accountText(ledger.mintingAccount.owner.toUint8Array(), null),
  });
});

test.each([false, true])(
  'only transfers count, and who was debited paid (blocks with a type: %s)',
  async (typedBlocks) => {
    const own = await startLocalInternetComputer();
    try {
      const installed = await own.installLedger({ canisterId: LEDGER, typedBlocks });
      const [payer, spender] = await Promise.all(
        [alice, carol].map((identity) => openLedgerClient(own, installed.canisterId, identity)),
      );
      if (payer === undefined || spender === undefined) throw new Error('no client');
      await installed.mint({ owner: alice.getPrincipal(), subaccount: [] }, 10_000_000n);
      const to = { owner: bob.getPrincipal(), subaccount: [SUBACCOUNT] as [Uint8Array] };
      await payer.transfer({ to, amount: 7n, memo: memoOfIntent(7n) });
      await payer.approve({ spender: { owner: carol.getPrincipal(), subaccount: [] }, amount: 1_000_000n });
      const from = { owner: alice.getPrincipal(), subaccount: [] as [] };
      await spender.transferFrom({ from, to: { ...to, subaccount: [] }, amount: 9n });
      await payer.transfer({ to: installed.mintingAccount, amount: 20_000n });
      const ownChain = createIcrcChain(network, { urls: [own.url], rootKey: own.rootKey, timeoutMs: 20_000 });
      const { length, blocks } = await ownChain.blocks(LEDGER, 0n, 100);
      expect(length).toBe(5n);
      expect(blocks.map(({ transfer }) => transfer)).toEqual([
        null,
        { from: accountOf(alice), to: accountOf(bob, SUBACCOUNT), amountAtomic: 7n, memo: memoOfIntent(7n) },
        null,
        { from: accountOf(alice), to: accountOf(bob), amountAtomic: 9n, memo: null },
        null,
      ]);
      expect(blocks.every(({ timestampNs }) => timestampNs > 1_700_000_000_000_000_000n)).toBe(true);
    } finally {
      await own.stop();
    }
  },
);

test('blocks that moved to the archive continue those of the ledger, and reading goes on past it', async () => {
  for (let minted = 0; minted < 15; minted += 1) await ledger.mint({ owner: alice.getPrincipal(), subaccount: [] }, 1n);
  let cursor = { network, ledger: LEDGER, nextIndex: 0n, lastHash: null as Uint8Array | null };
  for (let calls = 0; calls < 20; calls += 1) {
    const judged = judgeBlocks(cursor, await chain.blocks(LEDGER, cursor.nextIndex, 4));
    if (judged.verdict === 'forked') throw new Error(`forked at ${judged.index}`);
    cursor = { ...cursor, ...judged.read };
    if (judged.isWhole) break;
  }
  expect(cursor.nextIndex).toBe(15n);
  expect((await blockAt(0n))?.parentHash).toBeNull();
  expect(await chain.blocks(LEDGER, 15n, 4)).toEqual({ length: 15n, blocks: [] });
  expect(await chain.blocks(LEDGER, 1_000_000n, 1)).toEqual({ length: 15n, blocks: [] });
});

test('a call that is answered later, after the client asked for its status, is as good', async () => {
  Object.assign(ic.faults, { asynchronous: true, processingMs: 300 });
  expect((await chain.blocks(LEDGER, 0n, 1)).length).toBeGreaterThanOrEqual(0n);
});

test.each([
  ['a forged certificate', { certificates: 'forged' }],
  ['a certificate under another root key', { certificates: 'foreign' }],
  ['a certificate of two minutes ago', { certificateAgeMs: 120_000 }],
  ['a certificate of in two minutes', { certificateAgeMs: -120_000 }],
  ['a certificate of an hour ago', { certificateAgeMs: 3_600_000 }],
  ['a node that lives an hour ago', { certificateAgeMs: 3_600_000, staleTime: true }],
  ['a node that is down', { down: true }],
  ['a node that loses the answer', { loseReplies: 10 }],
])('%s is no answer', async (_, faults) => {
  Object.assign(ic.faults, faults);
  await expect(chain.blocks(LEDGER, 0n, 1)).rejects.toThrow(ChainUnavailable);
  Object.assign(ic.faults, faultless, { loseReplies: 0 });
  await expect(chain.blocks(LEDGER, 0n, 1)).resolves.toBeDefined();
});

test('a node that forges a transfer has no certificate for it, and with one would be believed', async () => {
  const forged = { from: carol.getPrincipal().toText(), to: bob.getPrincipal().toText(), amountAtomic: 77n };
  ic.faults.lieToCalls = (asked, truth) => forgeTransfer(asked, truth, { ...forged, memo: memoOfIntent(5n) });
  try {
    for (const certificates of ['forged', 'foreign'] as const) {
      Object.assign(ic.faults, { certificates });
      await expect(chain.blocks(LEDGER, 1_000n, 1)).rejects.toThrow(ChainUnavailable);
    }
    Object.assign(ic.faults, faultless);
    const transfer = { from: accountOf(carol), to: accountOf(bob), amountAtomic: 77n };
    expect(await blockAt(1_000n)).toMatchObject({ index: 1_000n, transfer });
  } finally {
    ic.faults.lieToCalls = undefined;
  }
});

test('a node that lies about the time once does not stop later calls', async () => {
  const deceived = createIcrcChain(network, { urls: [ic.url], rootKey: ic.rootKey, timeoutMs: 20_000 });
  Object.assign(ic.faults, { certificateAgeMs: 3_600_000, staleTime: true });
  await expect(deceived.blocks(LEDGER, 0n, 1)).rejects.toThrow(ChainUnavailable);
  Object.assign(ic.faults, faultless);
  await expect(deceived.blocks(LEDGER, 0n, 1)).resolves.toBeDefined();
});

test('a node with an old certificate that tells no time is left, and the process goes on', async () => {
  const silent = createServer((request, response) => {
    if (!request.url?.endsWith('/call')) return;
    const pass = async () => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const answer = await fetch(`${ic.url}${request.url}`, { method: 'POST', body: Buffer.concat(parts) });
      response.writeHead(answer.status, { 'content-type': 'application/cbor' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    void pass();
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  Object.assign(ic.faults, { certificateAgeMs: 3_600_000 });
  try {
    const urls = [`http://127.0.0.1:${port}`];
    const deceived = createIcrcChain(network, { urls, rootKey: ic.rootKey, timeoutMs: 3_000 });
    await expect(deceived.blocks(LEDGER, 0n, 1)).rejects.toThrow(ChainUnavailable);
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test('a node that refuses each request as expired is left after its time, and the next one is asked', async () => {
  const other = await startLocalInternetComputer();
  other.faults.expiredCalls = true;
  try {
    const both = createIcrcChain(network, { urls: [other.url, ic.url], rootKey: ic.rootKey, timeoutMs: 6_000 });
    await expect(both.blocks(LEDGER, 0n, 1)).resolves.toBeDefined();
    const alone = createIcrcChain(network, { urls: [other.url], rootKey: ic.rootKey, timeoutMs: 1_000 });
    await expect(alone.blocks(LEDGER, 0n, 1)).rejects.toThrow(ChainUnavailable);
  } finally {
    await other.stop();
  }
});

test('a client with another root key believes nothing', async () => {
  const other = await startLocalInternetComputer();
  try {
    const deceived = createIcrcChain(network, { urls: [ic.url], rootKey: other.rootKey, timeoutMs: 20_000 });
    await expect(deceived.blocks(LEDGER, 0n, 1)).rejects.toThrow(ChainUnavailable);
  } finally {
    await other.stop();
  }
});

test('the next node is asked where one gives no certified answer', async () => {
  const other = await startLocalInternetComputer();
  await other.installLedger({ canisterId: LEDGER });
  try {
    const urls = ['http://127.0.0.1:9', other.url, ic.url];
    const both = createIcrcChain(network, { urls, rootKey: ic.rootKey, timeoutMs: 20_000 });
    expect(await both.blocks(LEDGER, 0n, 1)).toEqual(await chain.blocks(LEDGER, 0n, 1));
  } finally {
    await other.stop();
  }
});

test('the node that answered last is asked first', async () => {
  const slow = await startLocalInternetComputer();
  slow.faults.expiredCalls = true;
  try {
    const both = createIcrcChain(network, { urls: [slow.url, ic.url], rootKey: ic.rootKey, timeoutMs: 6_000 });
    await both.blocks(LEDGER, 0n, 1);
    const before = performance.now();
    await both.blocks(LEDGER, 0n, 1);
    expect(performance.now() - before).toBeLessThan(6_000);
  } finally {
    await slow.stop();
  }
});

test('an answer that is larger than any of a canister is not read to its end', async () => {
  const part = Buffer.alloc(65_536);
  let sent = 0;
  const endless = createServer((_, response) => {
    const more = () => {
      while (!response.destroyed && sent < 16 * 1_048_576) {
        sent += part.length;
        if (response.write(part)) continue;
        response.once('drain', more);
        return;
      }
      response.end();
    };
    more();
  }).listen(0, '127.0.0.1');
  await once(endless, 'listening');
  const { port } = endless.address() as AddressInfo;
  try {
    const urls = [`http://127.0.0.1:${port}`];
    const alone = createIcrcChain(network, { urls, rootKey: ic.rootKey, timeoutMs: 20_000 });
    await expect(alone.blocks(LEDGER, 0n, 1)).rejects.toMatchObject({
      cause: { errors: [{ message: expect.stringContaining('3145728 bytes') }] },
    });
  } finally {
    endless.closeAllConnections();
    endless.close();
  }
});

test('a ledger that is not there is no answer', async () => {
  await expect(chain.blocks('aaaaa-aa', 0n, 1)).rejects.toThrow(ChainUnavailable);
});
