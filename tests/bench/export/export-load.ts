// Exports through the API that settles, as a merchant's accountant would: page after page, as fast as the quota lets them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SettleWorld } from '../settle/settle-world.ts';

type Page = { readonly lines: readonly string[]; readonly cursor: string; readonly hasMore: boolean };

const LIMIT = 5_000;

async function readPage(world: SettleWorld, cursor: string | undefined): Promise<Page> {
  const secretKey = world.shops[0]?.secretKey ?? '';
  const at = cursor === undefined ? '' : `&cursor=${cursor}`;
  const url = `http://127.0.0.1:${world.apiPort}/sdk/exports/payments?format=jsonl&limit=${LIMIT}${at}`;
  for (;;) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${secretKey}` } });
    const text = await response.text();
    if (response.status === 429) {
      await sleep(250);
      continue;
    }
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    return {
      lines: text === '' ? [] : text.trimEnd().split('\n'),
      cursor: response.headers.get('x-svc-export-cursor') ?? '',
      hasMore: response.headers.get('x-svc-export-more') === 'true',
    };
  }
}

/** Exports over and over until stopped; answers the rows that came. */
export function exportUntil(world: SettleWorld): { readonly stop: () => Promise<number> } {
  const stop = new AbortController();
  const run = async () => {
    let rows = 0;
    let cursor: string | undefined;
    while (!stop.signal.aborted) {
      const page = await readPage(world, cursor);
      rows += page.lines.length;
      cursor = page.hasMore ? page.cursor : undefined;
    }
    return rows;
  };
  const running = run();
  return {
    stop: () => {
      stop.abort();
      return running;
    },
  };
}

/** Everything once, compared with the ledger's own sums. */
export async function exportAll(world: SettleWorld) {
  const beganMs = performance.now();
  let [rows, net, gross] = [0, 0n, 0n];
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(world, cursor);
    for (const line of page.lines) {
      const row = JSON.parse(line) as { readonly net: string; readonly gross: string; readonly decimals: number };
      net += unitsOf(row.net, row.decimals);
      gross += unitsOf(row.gross, row.decimals);
    }
    rows += page.lines.length;
    if (!page.hasMore) break;
    cursor = page.cursor;
  }
  const { rows: sums } = await world.pool.query<{ net: string; gross: string }>(
    `select sum(amount) filter (where account_name = 'merchant')::text as net,
       (-sum(amount) filter (where account_name in ('payer', 'stranded')))::text as gross
     from svc.ledger_entries where asset <> 'native' and account_id = $1 and mode = 'test'`,
    [world.shops[0]?.accountId],
  );
  const equal = sums[0]?.net === net.toString() && sums[0].gross === gross.toString();
  return { rows, equal, tookMs: performance.now() - beganMs };
}

function unitsOf(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const atomic = BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
  return text.startsWith('-') ? -atomic : atomic;
}
