// Where one node answers alone, a range passes when it gives the same again in a later run. What it gave first is kept here,
// as a digest, in memory: when it is lost, the range is read twice again.
import type { BlockRef } from './reader-chain.ts';

type FirstReading = {
  /** The sources that were read. */
  readonly sources: string;
  readonly from: BlockRef;
  readonly end: BlockRef;
  readonly digest: string;
  /** Number of the run that read it. */
  readonly run: number;
};

export type FirstReadings = {
  /** The reading that starts at that block. */
  readonly startingAt: (sources: string, from: BlockRef) => FirstReading | undefined;
  /** The last block that was read without a gap after `from`; `from` itself if none was. */
  readonly lastAfter: (sources: string, from: BlockRef) => BlockRef;
  readonly keep: (reading: FirstReading) => void;
  readonly drop: (sources: string, from: BlockRef) => void;
  /** Drops readings that start below every cursor. */
  readonly dropBelow: (number: bigint) => void;
};

export function createFirstReadings(): FirstReadings {
  const readings = new Map<string, FirstReading>();
  const keyOf = (sources: string, { hash }: BlockRef) => `${hash} ${sources}`;
  const startingAt = (sources: string, from: BlockRef) => readings.get(keyOf(sources, from));
  return {
    startingAt,
    lastAfter: (sources, from) => {
      let last = from;
      for (let next = startingAt(sources, last); next !== undefined; next = startingAt(sources, last)) last = next.end;
      return last;
    },
    keep: (reading) => void readings.set(keyOf(reading.sources, reading.from), reading),
    drop: (sources, from) => void readings.delete(keyOf(sources, from)),
    dropBelow: (number) => {
      for (const [key, { from }] of readings) if (from.number < number) readings.delete(key);
    },
  };
}
