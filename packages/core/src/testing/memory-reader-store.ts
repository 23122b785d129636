// ReaderStore in memory: cursors, remembered blocks and read logs.
import { logKey, type MoneyLog, type ReaderStore } from '../index.ts';
import { ofNetwork, rowsOfNetwork } from './memory-reader-tables.ts';
import type { Statement, Tables } from './memory-tables.ts';

export function createMemoryReaderStore(tables: Tables, statement: Statement): ReaderStore {
  const { offeredSources, readerCursors, readerBlocks, readLogs, waitingLogs, authorizations } = tables;
  const isOwn = (network: string, log: MoneyLog) =>
    !('nonce' in log) ||
    [...authorizations.values()].some(
      ({ network: own, asset, payer, nonce }) =>
        own === network && isSame(asset, log.address) && isSame(payer, log.payer) && isSame(nonce, log.nonce),
    );
  return {
    loadSources: (network) => statement('loadSources', () => rowsOfNetwork(offeredSources, network)),
    loadCursors: (network) => statement('loadCursors', () => rowsOfNetwork(readerCursors, network)),
    startCursors: (network, cursors) =>
      statement('startCursors', () => {
        for (const cursor of cursors) {
          const key = ofNetwork(network, cursor.address);
          if (readerCursors.has(key)) continue;
          readerCursors.set(key, cursor);
          const block = ofNetwork(network, cursor.at.number);
          if (!readerBlocks.has(block)) readerBlocks.set(block, cursor.at);
        }
      }),
    selectOwn: (network, logs) => statement('loadOwnLogs', () => logs.filter((log) => isOwn(network, log))),
    passBlocks: ({ network, sources, from, to, logs }) =>
      statement('passBlocks', () => {
        const keys = sources.map(({ address }) => ofNetwork(network, address));
        const cursors = keys.map((key) => readerCursors.get(key));
        if (cursors.some((cursor) => cursor?.at.number !== from.number || cursor.at.hash !== from.hash)) return false;
        for (const [index, cursor] of cursors.entries())
          if (cursor !== undefined) readerCursors.set(keys[index] ?? '', { ...cursor, at: to });
        for (const log of logs) readLogs.set(ofNetwork(network, logKey(log.position)), log);
        readerBlocks.set(ofNetwork(network, to.number), to);
        return true;
      }),
    keepLogs: (network, logs) =>
      statement('keepLogs', () => {
        for (const log of logs) readLogs.set(ofNetwork(network, logKey(log.position)), log);
      }),
    loadPassedBlocks: (network, number, limit) =>
      statement('loadPassedBlocks', () =>
        rowsOfNetwork(readerBlocks, network)
          .filter((block) => block.number <= number)
          .toSorted((one, other) => compare(other.number, one.number))
          .slice(0, limit),
      ),
    rewind: (network, to) =>
      statement('rewind', () => {
        for (const cursor of rowsOfNetwork(readerCursors, network))
          if (cursor.at.number > to.number)
            readerCursors.set(ofNetwork(network, cursor.address), { ...cursor, at: to });
        for (const { position } of rowsOfNetwork(readLogs, network))
          if (position.blockNumber > to.number) {
            readLogs.delete(ofNetwork(network, logKey(position)));
            waitingLogs.delete(ofNetwork(network, logKey(position)));
          }
        for (const { number } of rowsOfNetwork(readerBlocks, network))
          if (number > to.number) readerBlocks.delete(ofNetwork(network, number));
        readerBlocks.set(ofNetwork(network, to.number), to);
      }),
    loadUnapplied: (network, throughBlock, after, limit) =>
      statement('loadUnapplied', () =>
        rowsOfNetwork(readLogs, network)
          .filter(({ position }) => position.blockNumber <= throughBlock)
          .filter((log) => after === undefined || byPosition(log, after) > 0)
          .toSorted(byPosition)
          .slice(0, limit),
      ),
    // No statement of a fault: what it stores is only told.
    noteWaiting: async (network, logs, nowMs) =>
      logs.map(({ position }) => {
        const { blockHash } = position;
        const key = ofNetwork(network, logKey(position));
        if (readLogs.get(key)?.position.blockHash !== blockHash) return nowMs;
        const known = waitingLogs.get(key);
        if (known?.blockHash === blockHash) return known.sinceMs;
        waitingLogs.set(key, { blockHash, sinceMs: nowMs });
        return nowMs;
      }),
    forgetBlocks: (network, number) =>
      statement('forgetBlocks', () => {
        const blocks = rowsOfNetwork(readerBlocks, network).map((block) => block.number);
        const newest = blocks
          .filter((block) => block <= number)
          .toSorted(compare)
          .at(-1);
        for (const block of blocks)
          if (newest !== undefined && block < newest) readerBlocks.delete(ofNetwork(network, block));
      }),
  };
}

/** A restored authorization names its token in mixed case. */
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const compare = (one: bigint, other: bigint) => (one === other ? 0 : one < other ? -1 : 1);

function byPosition({ position: one }: MoneyLog, { position: other }: MoneyLog): number {
  return (
    compare(one.blockNumber, other.blockNumber) ||
    one.logIndex - other.logIndex ||
    (one.transactionId < other.transactionId ? -1 : one.transactionId === other.transactionId ? 0 : 1)
  );
}
