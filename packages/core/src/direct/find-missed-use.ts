// Reads the logs again in which the use of an authorization may have been missed. The chain reader keeps every use that it
// passes once the authorization is stored, so one that it missed is older than the row: only blocks from the one at which
// it was seen unused until about then are read, however long the signature lives and whoever makes this happen.
import { readAgreedBlocks } from '../reader/ask-nodes.ts';
import type { AuthorizationLog, MoneyLog } from '../reader/money-log.ts';
import { nextSize } from '../reader/plan-range.ts';
import { type RangeToRead, type RangeVerdict, readRange } from '../reader/read-range.ts';
import type { BlockRef, ReaderNode } from '../reader/reader-chain.ts';
import { sameAddress } from '../token/address.ts';
import type { OpenDirect } from './direct-store.ts';

/** Clocks differ, and a row is written some time after its signature was verified: both by less. */
const WRITTEN_LATE_SECONDS = 3_600n;
const LIMITS = { maxRange: 10_000, manyLogs: 5_000 };
const FIRST_RANGE = 100;
/** What is not found in so many ranges is told to a person. */
const MAX_RANGES = 50;

type Missed = Pick<OpenDirect, 'asset' | 'payer' | 'nonce' | 'claimedAtSeconds'> & { readonly unusedAtBlock: bigint };

/** `passed` is the token's cursor. Undefined when nodes do not agree: nothing is known then. */
export async function findMissedUse(
  nodes: readonly ReaderNode[],
  row: Missed,
  passed: Pick<BlockRef, 'number'>,
): Promise<readonly AuthorizationLog[] | undefined> {
  const sources = [{ address: row.asset.toLowerCase(), kind: 'token' as const }];
  const lastSeconds = row.claimedAtSeconds + WRITTEN_LATE_SECONDS;
  const found: AuthorizationLog[] = [];
  let [from] = await readAgreedBlocks(nodes, [row.unusedAtBlock]);
  if (from === undefined) return undefined;
  let size = FIRST_RANGE;
  for (let ranges = 0; ranges < MAX_RANGES; ranges += 1) {
    if (from.timeSeconds > lastSeconds || from.number >= passed.number) return found;
    const end: bigint = from.number + BigInt(size);
    const to = end < passed.number ? end : passed.number;
    const read: RangeVerdict = await readFinal(nodes, { from, to, sources, isFinal: true });
    const isTooLarge = read.verdict === 'too_large';
    if (read.verdict !== 'agreed' && !(isTooLarge && to > from.number + 1n)) return undefined;
    size = nextSize(
      isTooLarge ? Number(to - from.number) : size,
      read.verdict === 'agreed' ? read.logs.length : 'too_large',
      LIMITS,
    );
    if (read.verdict !== 'agreed') continue;
    found.push(...read.logs.filter((log) => isOf(log, row)));
    from = read.end;
  }
  return found;
}

/** A node that answers alone is believed if it shows the same twice. */
async function readFinal(nodes: readonly ReaderNode[], range: RangeToRead): Promise<RangeVerdict> {
  const read = await readRange(nodes, range);
  if (read.verdict !== 'agreed' || read.alone === undefined) return read;
  const again = await readRange([read.alone], range);
  return again.verdict === 'agreed' && again.digest !== read.digest ? { verdict: 'contradicted' } : again;
}

const isOf = (log: MoneyLog, { payer, nonce }: Missed): log is AuthorizationLog =>
  'nonce' in log && log.nonce === nonce.toLowerCase() && sameAddress(log.payer, payer);
