// npm run bench -- <name> [--seconds N] [--check] [--json]
// Each bench measures beside its reference in one run. `--check` fails when a bar is missed; the last line is JSON.
import { parseArgs } from 'node:util';
import { benchIntents } from './intents/bench-intents.ts';
import { benchSolana } from './solana/bench-solana.ts';
import { benchWebhookVerify } from './webhook-verify.ts';
import { benchWebhooks } from './webhooks/bench-webhooks.ts';

type Bench = (
  seconds: number,
) => Promise<{ readonly figures: Record<string, number | string>; readonly missed: readonly string[] }>;

const BENCHES: Readonly<Record<string, Bench>> = {
  intents: benchIntents,
  solana: benchSolana,
  'webhook-verify': benchWebhookVerify,
  webhooks: benchWebhooks,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '15' },
    check: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const bench = BENCHES[positionals[0] ?? ''];
if (bench === undefined) {
  console.error(`which bench? one of: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(64);
}
const { figures, missed } = await bench(Number.parseInt(values.seconds, 10));
if (!values.json) for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value}`);
for (const bar of missed) console.log(`missed: ${bar}`);
console.log(JSON.stringify(figures));
process.exitCode = values.check && missed.length > 0 ? 1 : 0;
