// npm run bench -- <name> [--seconds N] [--check] [--json]
// npm run bench -- settle [--kind processor|direct] [--seconds N] [--only ours|idle|reference|published|tuned|bare]
//   [--merchants 1,1000] [--levels 1,32,256] [--rate 100,300] [--nodes 3] [--processes 3] [--idle 20] [--profile] [--check] [--json]
// npm run bench -- solana [--seconds N] [--profile] [--json]
// npm run bench -- facilitator [--seconds N] [--only ours|reference] [--levels 32,256] [--profile] [--check] [--json]
// npm run bench -- growth [--seconds N] [--only stored|endpoints|lanes|accounts] [--most PAYMENTS] [--check] [--json]
// npm run bench -- lists [--most PAYMENTS] [--check] [--json]
// npm run bench -- reader [--most BLOCKS] [--check] [--json]
// npm run bench -- export [--seconds N] [--most PAYMENTS] [--check] [--json]
// npm run bench -- webhooks [--seconds N] [--only steady] [--rate 2000] [--most OLD DELIVERIES] [--profile] [--check] [--json]
// `--write` puts the tables of settle, facilitator, growth and lists into docs/operate/performance.md.
// Each bench measures beside its reference in one run. `--check` fails when a bar is missed; the last line is JSON. Figures and
// all that they were made of are kept in .cache/bench (`--out` names another folder).
// `--pairs 5 --other <folder of another checkout>` runs the bench here and there by turns, and tells medians of the pairs.
import { parseArgs } from 'node:util';
import type { Bench } from './bench.ts';
import { benchExport } from './export/bench-export.ts';
import { benchFacilitator } from './facilitator/bench-facilitator.ts';
import { benchGrowth } from './growth/bench-growth.ts';
import { benchIntents } from './intents/bench-intents.ts';
import { keepResult } from './keep-result.ts';
import { benchLists } from './lists/bench-lists.ts';
import { comparePairs } from './pairs/compare-pairs.ts';
import { runPairs } from './pairs/run-pairs.ts';
import { benchReader } from './reader/bench-reader.ts';
import { benchSettle } from './settle/bench-settle.ts';
import { benchSolana } from './solana/bench-solana.ts';
import { benchWebhookVerify } from './webhook-verify.ts';
import { benchWebhooks } from './webhooks/bench-webhooks.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  export: { seconds: 30, run: benchExport },
  facilitator: { seconds: 8, run: benchFacilitator },
  growth: { seconds: 10, run: benchGrowth },
  intents: { seconds: 15, run: ({ seconds }) => benchIntents(seconds) },
  lists: { seconds: 0, run: benchLists },
  reader: { seconds: 0, run: benchReader },
  settle: { seconds: 20, run: benchSettle },
  solana: { seconds: 15, run: benchSolana },
  'webhook-verify': { seconds: 15, run: ({ seconds }) => benchWebhookVerify(seconds) },
  webhooks: { seconds: 180, run: benchWebhooks },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    only: { type: 'string' },
    levels: { type: 'string' },
    kind: { type: 'string', default: 'processor' },
    merchants: { type: 'string' },
    rate: { type: 'string' },
    nodes: { type: 'string' },
    processes: { type: 'string' },
    idle: { type: 'string' },
    profile: { type: 'boolean', default: false },
    most: { type: 'string' },
    out: { type: 'string', default: '.cache/bench' },
    pairs: { type: 'string' },
    other: { type: 'string' },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? '';
const bench = BENCHES[name];
if (bench === undefined || !['processor', 'direct'].includes(values.kind)) {
  console.error(`which bench? one of: ${Object.keys(BENCHES).join(', ')}; --kind is processor or direct`);
  process.exit(64);
}
if ((values.pairs === undefined) !== (values.other === undefined)) {
  console.error('--pairs and --other go together');
  process.exit(64);
}
const whole = (text: string | undefined) => (text === undefined ? undefined : Number.parseInt(text, 10));
const list = (text: string | undefined) => text?.split(',').map((each) => Number.parseInt(each, 10));

if (values.other !== undefined) {
  const pairs = await runPairs(name, values.other, whole(values.pairs) ?? 1, process.argv.slice(2));
  for (const line of comparePairs(pairs)) console.log(line);
  console.log(`kept in ${keepResult(name, values.out, { figures: {}, missed: [], raw: { pairs } })}`);
  process.exit(0);
}
const result = await bench.run({
  seconds: whole(values.seconds) ?? bench.seconds,
  only: values.only,
  levels: list(values.levels),
  kind: values.kind === 'direct' ? 'direct' : 'processor',
  profile: values.profile,
  write: values.write,
  most: whole(values.most),
  merchants: list(values.merchants),
  rates: list(values.rate),
  nodes: whole(values.nodes),
  processes: whole(values.processes),
  idleSeconds: whole(values.idle),
});
const { figures, missed } = result;
if (!values.json) for (const [figure, value] of Object.entries(figures)) console.log(`${figure.padEnd(20)} ${value}`);
for (const bar of missed) console.log(`missed: ${bar}`);
console.log(`kept in ${keepResult(name, values.out, result)}`);
console.log(JSON.stringify(figures));
process.exitCode = values.check && missed.length > 0 ? 1 : 0;
