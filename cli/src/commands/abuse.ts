import { addressHash, dayOf } from '@svc-pay/core';
import { type AbuseTotal, type GasLossTotal, readAbuse, readGasLosses } from '@svc-pay/postgres/operator';
import { Command } from 'commander';
import type { Context, Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured, withOperation } from '../command/with-operation.ts';
import { readOperatorConfig } from '../config.ts';
import { type CommandOutcome, done, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { readDurationMs } from './duration.ts';
import { readDenied } from './read-denied.ts';

type Top = { readonly since: string; readonly most: string };
type Hash = { readonly days: string };

const DAY_MS = 86_400_000;
/** The counts are deleted after a week. */
const MAX_SINCE_MS = 7 * DAY_MS;
const MAX_DAYS = 400;

export function abuseCommand(surroundings: Surroundings): Command {
  const top = leaf(
    'top',
    'Show who causes most refusals, unpaid intents, streams and gas losses: by address hash, key, account and payer.',
    ['abuse top', 'abuse top --since 24h --most 20 --json'],
  )
    .option('--since <time>', 'how far back, in whole hours: 1h to 7d', '1h')
    .option('--most <count>', 'how many of each', '5')
    .action(runs<Top>(surroundings, showTop));
  const hash = leaf(
    'hash',
    'Show under which hash the request logs name an address, day by day (UTC). An IPv6 /64 is one address.',
    ['abuse hash 203.0.113.7', 'abuse hash 2001:db8::7 --days 30'],
  )
    .argument('<address>', 'IPv4 or IPv6 address')
    .option('--days <count>', 'days back from today', '7')
    .action(runs<Hash>(surroundings, showHashes));
  return new Command('abuse').description('Find who abuses the service.').addCommand(top).addCommand(hash);
}

async function showTop({ options, context }: Input<Top>): Promise<CommandOutcome> {
  const backMs = readDurationMs(options.since);
  if (backMs === undefined || backMs === 0 || backMs > MAX_SINCE_MS) return misused('A time is 1h to 7d, such as 24h.');
  const most = readCount(options.most, 1_000);
  if (most === undefined) return misused('How many is 1 to 1000.');
  return withOperation(context, [], async ({ operation: { pool, nowMs } }) => {
    const sinceMs = nowMs - backMs;
    const [counts, losses] = [await readAbuse(pool, sinceMs, most), await readGasLosses(pool, sinceMs, most)];
    const data = {
      since: options.since,
      counts,
      gasLosses: losses.map(({ lossAtomic, ...loss }) => ({ ...loss, lossAtomic: lossAtomic.toString() })),
    };
    return done(data, shownTop(counts, losses, context));
  });
}

async function showHashes({ options, positionals: [text = ''], context }: Input<Hash>): Promise<CommandOutcome> {
  const named = readDenied(text);
  if (!named.ok || named.kind !== 'address' || text.includes('/')) return misused('Name one IPv4 or IPv6 address.');
  const days = readCount(options.days, MAX_DAYS);
  if (days === undefined) return misused(`Days are 1 to ${MAX_DAYS}.`);
  const read = readOperatorConfig(['keyPeppers'], context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const hashes = Array.from({ length: days }, (_, back) => back).flatMap((back) => {
    const day = dayOf(context.clock.nowMs() - back * DAY_MS);
    // While a pepper is replaced, lines of one day may have been written with either.
    return read.config.keyPeppers.map(({ bytes }) => ({ day, addressHash: addressHash(bytes, text, day) }));
  });
  const columns = [
    { head: 'DAY (UTC)', cell: ({ day }: (typeof hashes)[number]) => day },
    { head: 'ADDRESS HASH', cell: (row: (typeof hashes)[number]) => row.addressHash },
  ];
  return done({ hashes }, table(hashes, columns, context.paint));
}

function readCount(text: string, most: number): number | undefined {
  const count = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0;
  return count >= 1 && count <= most ? count : undefined;
}

const CAUSES = { refused: 'refused', created: 'intents unpaid', streams: 'streams opened' } as const;

function shownTop(counts: readonly AbuseTotal[], losses: readonly GasLossTotal[], { paint }: Context): string {
  if (counts.length === 0 && losses.length === 0) return 'Nothing was counted in this time.';
  const parts = [
    table(
      counts,
      [
        { head: 'WHAT', cell: ({ cause }) => CAUSES[cause] },
        { head: 'BY', cell: ({ kind }) => kind },
        { head: 'WHO', cell: ({ subject }) => subject },
        { head: 'COUNT', cell: ({ count, paid }) => String(count - paid) },
        { head: 'OF', cell: ({ cause, count }) => (cause === 'created' ? String(count) : '') },
      ],
      paint,
    ),
    ...(losses.length === 0 ? [] : ['', shownLosses(losses, paint)]),
    '',
    'A refused payer is named by a header that nobody may have signed; gas losses are proved.',
  ];
  return parts.join('\n');
}

const shownLosses = (losses: readonly GasLossTotal[], paint: Context['paint']) =>
  table(
    losses,
    [
      { head: 'GAS LOST (SMALLEST UNIT)', cell: ({ lossAtomic }) => lossAtomic.toString() },
      { head: 'NETWORK', cell: ({ network }) => network },
      { head: 'TIMES', cell: ({ losses: times }) => String(times) },
      { head: 'PAYER', cell: ({ payer }) => payer ?? 'not known' },
      { head: 'ACCOUNT', cell: ({ accountId, mode }) => (accountId === null ? 'not known' : `${accountId}/${mode}`) },
    ],
    paint,
  );
