// npm run bench -- <name> [--seconds N] [--check] [--json]
// npm run bench -- settle [--kind processor|direct] [--seconds N] [--only ours|reference|bare] [--levels 1,32,256] [--profile]
//   [--check] [--json]
// npm run bench -- facilitator [--seconds N] [--only ours|reference] [--levels 32,256] [--profile] [--check] [--json]
// npm run bench -- growth [--seconds N] [--only stored|endpoints|lanes|accounts] [--most PAYMENTS] [--check] [--json]
// npm run bench -- lists [--most PAYMENTS] [--check] [--json]
// npm run bench -- reader [--most BLOCKS] [--check] [--json]
// npm run bench -- export [--seconds N] [--most PAYMENTS] [--check] [--json]
// `--write` puts the tables of settle, facilitator, growth and lists into docs/operate/performance.md.
// Each bench measures beside its reference in one run. `--check` fails when a bar is missed; the last line is JSON.
import { parseArgs } from 'node:util';
import type { Bench } from './bench.ts';
import { benchExport } from './export/bench-export.ts';
import { benchFacilitator } from './facilitator/bench-facilitator.ts';
import { benchGrowth } from './growth/bench-growth.ts';
import { benchIntents } from './intents/bench-intents.ts';
import { benchLists } from './lists/bench-lists.ts';
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
  solana: { seconds: 15, run: ({ seconds }) => benchSolana(seconds) },
  'webhook-verify': { seconds: 15, run: ({ seconds }) => benchWebhookVerify(seconds) },
  webhooks: { seconds: 15, run: ({ seconds }) => benchWebhooks(seconds) },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    only: { type: 'string' },
    levels: { type: 'string' },
    kind: { type: 'string', default: 'processor' },
    profile: { type: 'boolean', default: false },
    most: { type: 'string' },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const bench = BENCHES[positionals[0] ?? ''];
if (bench === undefined || !['processor', 'direct'].includes(values.kind)) {
  console.error(`which bench? one of: ${Object.keys(BENCHES).join(', ')}; --kind is processor or direct`);
  process.exit(64);
}
const { figures, missed } = await bench.run({
  seconds: values.seconds === undefined ? bench.seconds : Number.parseInt(values.seconds, 10),
  only: values.only,
  levels: values.levels?.split(',').map((level) => Number.parseInt(level, 10)),
  kind: values.kind === 'direct' ? 'direct' : 'processor',
  profile: values.profile,
  write: values.write,
  most: values.most === undefined ? undefined : Number.parseInt(values.most, 10),
});
if (!values.json) for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value}`);
for (const bar of missed) console.log(`missed: ${bar}`);
console.log(JSON.stringify(figures));
process.exitCode = values.check && missed.length > 0 ? 1 : 0;
