// What a reader store answers and writes. Logs move with the cursor or not at all.
import { describe, expect, test } from 'vitest';
import type { AuthorizationLog, BlockRef, MoneyLog, ProcessorLog, ReaderCursor, ReaderSource } from '../index.ts';
import { plain } from './plain.ts';
import type { ReaderHarness } from './reader-harness.ts';

const PROCESSOR: ReaderSource = { address: `0x${'22'.repeat(20)}`, kind: 'processor' };
const RIVAL: ReaderSource = { address: `0x${'23'.repeat(20)}`, kind: 'processor' };
const TOKEN: ReaderSource = { address: `0x${'7c'.repeat(20)}`, kind: 'token' };
const END = 2n ** 40n;

const wordOf = (value: bigint | number) => `0x${value.toString(16).padStart(64, '0')}`;
/** Another `fork` is another block of the same height. */
const block = (number: bigint, fork = 0n): BlockRef => ({
  number,
  hash: wordOf(number * 1_000n + fork),
  timeSeconds: 1_790_000_000n + number,
});

function settled(number: bigint, logIndex: number, fork = 0n): ProcessorLog {
  return {
    event: 'payment_settled',
    address: PROCESSOR.address,
    position: {
      blockNumber: number,
      blockHash: block(number, fork).hash,
      transactionId: wordOf(number * 100n + BigInt(logIndex)),
      logIndex,
    },
    intentCode: 2n ** 63n + number,
    payer: `0x${'b1'.repeat(20)}`,
    asset: TOKEN.address,
    payoutId: 7n,
    amountAtomic: 2n ** 100n,
    feeAtomic: 3n,
  };
}

function used(number: bigint, logIndex: number, payer: string, nonce: string): AuthorizationLog {
  const { position } = settled(number, logIndex);
  return { event: 'authorization_used', address: TOKEN.address, position, payer, nonce };
}

const plainOf = (logs: readonly MoneyLog[]) => logs.map(plain);
const cursorAt = (source: ReaderSource, at: BlockRef): ReaderCursor => ({ ...source, at });

export function testReaderStore(create: () => Promise<ReaderHarness>): void {
  const started = async (at = block(100n)) => {
    const harness = await create();
    const { reader, network, nowMs } = harness;
    for (const source of [PROCESSOR, RIVAL, TOKEN]) await harness.offer(source);
    const cursors = [PROCESSOR, RIVAL, TOKEN].map((source) => cursorAt(source, at));
    await reader.startCursors(network, cursors, nowMs());
    return {
      ...harness,
      cursors: async () =>
        new Map((await reader.loadCursors(network)).map(({ address, at: reached }) => [address, reached])),
      logs: async () => plainOf(await reader.loadUnapplied(network, END, undefined, 1_000)),
      blocks: async () => (await reader.loadPassedBlocks(network, END, 1_000)).map(({ number }) => number),
      pass: (sources: readonly ReaderSource[], from: BlockRef, to: BlockRef, logs: readonly MoneyLog[] = []) =>
        reader.passBlocks({ network, sources, from, to, logs, nowMs: nowMs() }),
    };
  };

  describe('sources and cursors', () => {
    test('every processor and every token of a direct payout is a source, once', async () => {
      const { reader, network, offer } = await started();
      await offer(PROCESSOR);
      const found = (await reader.loadSources(network)).map(({ address, kind }) => `${kind} ${address}`);
      for (const { address, kind } of [PROCESSOR, RIVAL, TOKEN])
        expect(found.filter((one) => one === `${kind} ${address}`)).toHaveLength(1);
    });

    test('a source of another network is none of this one', async () => {
      const { reader, otherNetwork } = await started();
      expect(await reader.loadSources(otherNetwork)).toEqual([]);
      expect(await reader.loadCursors(otherNetwork)).toEqual([]);
    });

    test('a cursor starts once: a later start changes neither it nor its block', async () => {
      const { reader, network, nowMs, cursors, pass, blocks } = await started();
      expect(await pass([PROCESSOR], block(100n), block(105n))).toBe(true);
      const late = [PROCESSOR, RIVAL].map((source) => cursorAt(source, block(100n, 9n)));
      await reader.startCursors(network, late, nowMs());
      expect((await cursors()).get(PROCESSOR.address)).toEqual(block(105n));
      expect((await cursors()).get(RIVAL.address)).toEqual(block(100n));
      expect(await reader.loadPassedBlocks(network, 100n, 10)).toEqual([block(100n)]);
      expect(await blocks()).toEqual([105n, 100n]);
    });

    test('two processes that start the same cursor at different blocks leave one cursor', async () => {
      const { reader, network, nowMs } = await create();
      const start = (at: BlockRef) => reader.startCursors(network, [cursorAt(PROCESSOR, at)], nowMs());
      await Promise.all([start(block(100n)), start(block(101n))]);
      expect(await reader.loadCursors(network)).toHaveLength(1);
    });

    test('starting no cursor, and finding nothing, is no error', async () => {
      const { reader, network, nowMs } = await create();
      await reader.startCursors(network, [], nowMs());
      expect(await reader.loadCursors(network)).toEqual([]);
      expect(await reader.selectOwn(network, [])).toEqual([]);
      expect(await reader.loadUnapplied(network, END, undefined, 10)).toEqual([]);
      expect(await reader.loadPassedBlocks(network, END, 10)).toEqual([]);
    });
  });

  describe('own logs', () => {
    test('every log of a processor, and of a token those of claimed authorizations, in their order', async () => {
      const { reader, network, claim } = await started();
      const own = await claim(TOKEN.address);
      const stranger = `0x${'dd'.repeat(20)}`;
      const logs = [
        used(101n, 0, own.payer, own.nonce),
        settled(101n, 1),
        used(101n, 2, own.payer, wordOf(2n ** 200n)),
        used(102n, 0, stranger, own.nonce),
        { ...used(102n, 1, own.payer, own.nonce), event: 'authorization_canceled' as const },
        { ...settled(103n, 0), event: 'payment_received' as const },
      ];
      const chosen = [logs[0], logs[1], logs[4], logs[5]] as readonly MoneyLog[];
      expect(plainOf(await reader.selectOwn(network, logs))).toEqual(plainOf(chosen));
    });

    test('an authorization of the same payer and nonce in another token is not the claimed one', async () => {
      const { reader, network, claim } = await started();
      const own = await claim(TOKEN.address);
      const other = { ...used(101n, 0, own.payer, own.nonce), address: `0x${'7d'.repeat(20)}` };
      expect(await reader.selectOwn(network, [other])).toEqual([]);
    });

    test('10,000 foreign logs are told from 50 of ours', async () => {
      const { reader, network, claim } = await started();
      const claims = await Promise.all(Array.from({ length: 50 }, () => claim(TOKEN.address)));
      const logs = Array.from({ length: 10_000 }, (_, index) =>
        used(101n, index, `0x${'dd'.repeat(20)}`, wordOf(index)),
      );
      const ours = claims.map(({ payer, nonce }, index) => used(102n, index, payer, nonce));
      const mixed = [...logs.slice(0, 5_000), ...ours, ...logs.slice(5_000)];
      expect(plainOf(await reader.selectOwn(network, mixed))).toEqual(plainOf(ours));
    });
  });

  describe('a pass', () => {
    test('moves the cursors of its sources and no other, writes its logs whole, and remembers its block', async () => {
      const { cursors, pass, logs, blocks } = await started();
      const read = [settled(101n, 0), used(103n, 4, `0x${'b2'.repeat(20)}`, wordOf(5n))];
      expect(await pass([PROCESSOR, TOKEN], block(100n), block(105n), read)).toBe(true);
      const reached = await cursors();
      expect(reached.get(PROCESSOR.address)).toEqual(block(105n));
      expect(reached.get(TOKEN.address)).toEqual(block(105n));
      expect(reached.get(RIVAL.address)).toEqual(block(100n));
      expect(await logs()).toEqual(plainOf(read));
      expect(await blocks()).toEqual([105n, 100n]);
    });

    test.each<[string, readonly ReaderSource[], BlockRef]>([
      ['another number', [PROCESSOR], block(99n)],
      ['the number with another hash', [PROCESSOR], block(100n, 1n)],
      ['a cursor that is missing', [PROCESSOR, { address: `0x${'99'.repeat(20)}`, kind: 'processor' }], block(100n)],
    ])('from %s writes nothing', async (_, sources, from) => {
      const { cursors, pass, logs, blocks } = await started();
      const before = await cursors();
      expect(await pass(sources, from, block(105n), [settled(101n, 0)])).toBe(false);
      expect(await cursors()).toEqual(before);
      expect(await logs()).toEqual([]);
      expect(await blocks()).toEqual([100n]);
    });

    test('writes nothing when one of its cursors has moved', async () => {
      const { cursors, pass, logs } = await started();
      expect(await pass([RIVAL], block(100n), block(101n))).toBe(true);
      expect(await pass([PROCESSOR, RIVAL], block(100n), block(105n), [settled(101n, 0)])).toBe(false);
      expect((await cursors()).get(PROCESSOR.address)).toEqual(block(100n));
      expect(await logs()).toEqual([]);
    });

    test('of two processes at the same time one passes', async () => {
      const { pass, logs, cursors } = await started();
      const both = await Promise.all([
        pass([PROCESSOR, TOKEN], block(100n), block(104n), [settled(101n, 0)]),
        pass([TOKEN, PROCESSOR], block(100n), block(105n, 1n), [settled(101n, 0, 1n)]),
      ]);
      expect(both.filter((passed) => passed)).toHaveLength(1);
      const end = both[0] ? block(104n) : block(105n, 1n);
      expect((await cursors()).get(PROCESSOR.address)).toEqual(end);
      expect((await cursors()).get(TOKEN.address)).toEqual(end);
      expect(await logs()).toEqual(plainOf([settled(101n, 0, both[0] ? 0n : 1n)]));
    });

    test('repeated by a process that lost the answer changes nothing', async () => {
      const { pass, logs, cursors } = await started();
      expect(await pass([PROCESSOR], block(100n), block(105n), [settled(101n, 0)])).toBe(true);
      const [before, reached] = [await logs(), await cursors()];
      expect(await pass([PROCESSOR], block(100n), block(105n), [settled(101n, 0)])).toBe(false);
      expect(await logs()).toEqual(before);
      expect(await cursors()).toEqual(reached);
    });

    test('replaces a log that is there already, with the block that it is in now', async () => {
      const { pass, logs } = await started();
      await pass([PROCESSOR], block(100n), block(105n), [settled(103n, 2)]);
      const again = {
        ...settled(103n, 2),
        position: { ...settled(103n, 2).position, blockHash: block(103n, 1n).hash },
      };
      expect(await pass([PROCESSOR], block(105n), block(106n), [again])).toBe(true);
      expect(await logs()).toEqual(plainOf([again]));
    });

    test('to a block of the same number replaces the remembered one', async () => {
      const { pass, reader, network } = await started();
      await pass([PROCESSOR], block(100n), block(105n));
      await pass([RIVAL], block(100n), block(105n, 1n));
      expect((await reader.loadPassedBlocks(network, 105n, 1))[0]).toEqual(block(105n, 1n));
    });

    test('with 2,000 logs keeps each', async () => {
      const { pass, reader, network } = await started();
      const many = Array.from({ length: 2_000 }, (_, index) => settled(101n, index));
      expect(await pass([PROCESSOR], block(100n), block(105n), many)).toBe(true);
      expect(plainOf(await reader.loadUnapplied(network, END, undefined, 5_000))).toEqual(plainOf(many));
    });
  });

  describe('a rewind', () => {
    test('takes back what is above its block and only that', async () => {
      const { reader, network, nowMs, pass, cursors, logs, blocks } = await started();
      await pass([PROCESSOR, TOKEN], block(100n), block(103n), [settled(102n, 0), settled(103n, 0)]);
      await pass([PROCESSOR], block(103n), block(106n), [settled(104n, 0), settled(106n, 0)]);
      await reader.rewind(network, block(103n), nowMs());
      const reached = await cursors();
      expect(reached.get(PROCESSOR.address)).toEqual(block(103n));
      expect(reached.get(TOKEN.address)).toEqual(block(103n));
      expect(reached.get(RIVAL.address)).toEqual(block(100n));
      expect(await logs()).toEqual(plainOf([settled(102n, 0), settled(103n, 0)]));
      expect(await blocks()).toEqual([103n, 100n]);
    });

    test('remembers its block, in place of another of that number', async () => {
      const { reader, network, nowMs, pass } = await started();
      await pass([PROCESSOR], block(100n), block(106n));
      await pass([PROCESSOR], block(106n), block(108n));
      await reader.rewind(network, block(106n, 1n), nowMs());
      expect(await reader.loadPassedBlocks(network, 200n, 1)).toEqual([block(106n, 1n)]);
      await reader.rewind(network, block(104n), nowMs());
      expect(await reader.loadPassedBlocks(network, 200n, 1)).toEqual([block(104n)]);
    });

    test('done twice is done once', async () => {
      const { reader, network, nowMs, pass, cursors, logs, blocks } = await started();
      await pass([PROCESSOR], block(100n), block(106n), [settled(101n, 0), settled(104n, 0)]);
      await reader.rewind(network, block(102n), nowMs());
      const once = [await cursors(), await logs(), await blocks()];
      await reader.rewind(network, block(102n), nowMs());
      expect([await cursors(), await logs(), await blocks()]).toEqual(once);
    });

    test('leaves the other network alone', async () => {
      const { reader, otherNetwork, network, nowMs, pass } = await started();
      await reader.startCursors(otherNetwork, [cursorAt(PROCESSOR, block(500n))], nowMs());
      const elsewhere = { network: otherNetwork, sources: [PROCESSOR], from: block(500n), to: block(501n) };
      await reader.passBlocks({ ...elsewhere, logs: [settled(501n, 0)], nowMs: nowMs() });
      await pass([PROCESSOR], block(100n), block(106n), [settled(104n, 0)]);
      await reader.rewind(network, block(100n), nowMs());
      expect((await reader.loadCursors(otherNetwork)).map(({ at }) => at)).toEqual([block(501n)]);
      expect(plainOf(await reader.loadUnapplied(otherNetwork, END, undefined, 10))).toEqual(
        plainOf([settled(501n, 0)]),
      );
      expect((await reader.loadPassedBlocks(otherNetwork, END, 10)).map(({ number }) => number)).toEqual([501n, 500n]);
    });

    test('beside a pass leaves the cursor and its logs at one side', async () => {
      const { reader, network, nowMs, pass, cursors, logs } = await started();
      await pass([PROCESSOR], block(100n), block(105n), [settled(104n, 0)]);
      const [passed] = await Promise.all([
        pass([PROCESSOR], block(105n), block(108n), [settled(107n, 0)]),
        reader.rewind(network, block(103n), nowMs()),
      ]);
      // Whichever came first: nothing above the cursor is written.
      const at = (await cursors()).get(PROCESSOR.address);
      expect(at).toEqual(block(103n));
      expect(await logs()).toEqual([]);
      expect(typeof passed).toBe('boolean');
    });

    test('lets the same blocks be passed again, with other logs', async () => {
      const { reader, network, nowMs, pass, logs } = await started();
      await pass([PROCESSOR], block(100n), block(105n), [settled(104n, 0), settled(105n, 3)]);
      await reader.rewind(network, block(100n), nowMs());
      expect(await pass([PROCESSOR], block(100n), block(106n, 1n), [settled(105n, 3, 1n)])).toBe(true);
      expect(await logs()).toEqual(plainOf([settled(105n, 3, 1n)]));
    });
  });

  describe('unapplied logs', () => {
    test('that were missed are kept without a move of the cursor', async () => {
      const { reader, network, nowMs, pass, logs, cursors } = await started();
      const [read, missed] = [settled(104n, 0), settled(102n, 0)];
      await pass([PROCESSOR], block(100n), block(105n), [read]);
      for (const some of [[], [missed, read], [missed]]) await reader.keepLogs(network, some, nowMs());
      expect(await logs()).toEqual(plainOf([missed, read]));
      expect((await cursors()).get(PROCESSOR.address)).toEqual(block(105n));
    });

    test('wait since the first time that this is noted, and anew under another block', async () => {
      const { reader, network, nowMs, pass } = await started();
      const [one, two, gone] = [settled(101n, 0), settled(102n, 0), settled(103n, 0)];
      await pass([PROCESSOR], block(100n), block(105n), [one, two]);
      const first = nowMs() + 1_000;
      expect(await reader.noteWaiting(network, [one, gone], first)).toEqual([first, first]);
      const later = first + 5_000;
      expect(await reader.noteWaiting(network, [two, one, gone], later)).toEqual([later, first, later]);
      await pass([RIVAL], block(100n), block(106n), [one]);
      expect(await reader.noteWaiting(network, [one, two], later + 1)).toEqual([first, later]);
      await reader.rewind(network, block(100n), nowMs());
      await pass([PROCESSOR], block(100n), block(107n), [two, { ...one, position: settled(101n, 0, 1n).position }]);
      expect(await reader.noteWaiting(network, [one, two], later + 2)).toEqual([later + 2, later + 2]);
      expect(await reader.noteWaiting(network, [], later)).toEqual([]);
    });

    test('come by block and log index, whatever the order in which they were written', async () => {
      const { reader, network, pass } = await started();
      const read = [settled(103n, 10), settled(101n, 2), settled(103n, 9), settled(102n, 0)];
      await pass([PROCESSOR], block(100n), block(105n), read);
      const order = [settled(101n, 2), settled(102n, 0), settled(103n, 9), settled(103n, 10)];
      expect(plainOf(await reader.loadUnapplied(network, END, undefined, 10))).toEqual(plainOf(order));
    });

    test('in pages are each there once', async () => {
      const { reader, network, pass } = await started();
      const read = Array.from({ length: 25 }, (_, index) => settled(101n + BigInt(index % 3), index));
      await pass([PROCESSOR], block(100n), block(105n), read);
      const paged: MoneyLog[] = [];
      for (;;) {
        const page = await reader.loadUnapplied(network, END, paged.at(-1), 4);
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(4);
        paged.push(...page);
      }
      expect(plainOf(paged)).toEqual(plainOf(await reader.loadUnapplied(network, END, undefined, 100)));
      expect(new Set(paged.map(({ position }) => position.transactionId)).size).toBe(25);
    });

    test('are only those up to the block asked for, and of the network', async () => {
      const { reader, network, otherNetwork, pass } = await started();
      await pass([PROCESSOR], block(100n), block(105n), [settled(102n, 0), settled(103n, 0)]);
      expect(plainOf(await reader.loadUnapplied(network, 102n, undefined, 10))).toEqual(plainOf([settled(102n, 0)]));
      expect(await reader.loadUnapplied(network, 101n, undefined, 10)).toEqual([]);
      expect(await reader.loadUnapplied(otherNetwork, END, undefined, 10)).toEqual([]);
    });
  });

  describe('remembered blocks', () => {
    test('come newest first, at or below a number, as many as asked for', async () => {
      const { reader, network, pass } = await started();
      for (const number of [100n, 101n, 102n, 103n]) await pass([PROCESSOR], block(number), block(number + 1n));
      const found = await reader.loadPassedBlocks(network, 103n, 3);
      expect(found).toEqual([block(103n), block(102n), block(101n)]);
    });

    test('are forgotten below the newest final one, which stays', async () => {
      const { reader, network, pass, blocks } = await started();
      for (const number of [100n, 103n, 106n]) await pass([PROCESSOR], block(number), block(number + 3n));
      await reader.forgetBlocks(network, 107n);
      expect(await blocks()).toEqual([109n, 106n]);
      await reader.forgetBlocks(network, 105n);
      expect(await blocks()).toEqual([109n, 106n]);
      await reader.forgetBlocks(network, 500n);
      expect(await blocks()).toEqual([109n]);
    });

    test('of the other network are not forgotten', async () => {
      const { reader, network, otherNetwork, nowMs } = await started();
      await reader.startCursors(otherNetwork, [cursorAt(PROCESSOR, block(50n))], nowMs());
      await reader.forgetBlocks(network, 500n);
      expect(await reader.loadPassedBlocks(otherNetwork, END, 10)).toEqual([block(50n)]);
    });
  });
}
