// What the command line of the benches asks for. It loads no bench, so that a wrong option is answered at once.
import { parseArgs } from 'node:util';

export const BENCH_USAGE = `\
npm run bench -- <name> [--seconds N] [--check] [--json]
npm run bench -- settle [--kind processor|direct] [--seconds N] [--only ours|idle|reference|published|tuned|bare]
  [--merchants 1,1000] [--levels 1,32,256] [--rate 100,300] [--nodes 3] [--processes 3] [--idle 20] [--profile] [--check] [--json]
npm run bench -- solana [--seconds N] [--profile] [--json]
npm run bench -- facilitator [--seconds N] [--only ours|reference] [--levels 32,256] [--profile] [--check] [--json]
npm run bench -- growth [--seconds N] [--only stored|endpoints|lanes|accounts] [--most PAYMENTS] [--check] [--json]
npm run bench -- lists [--most PAYMENTS] [--check] [--json]
npm run bench -- reader [--most BLOCKS] [--check] [--json]
npm run bench -- export [--seconds N] [--most PAYMENTS] [--check] [--json]
npm run bench -- webhooks [--seconds N] [--only steady] [--rate 2000] [--most OLD DELIVERIES] [--profile] [--check] [--json]
\`--write\` puts the tables of settle, facilitator, growth and lists into docs/operate/performance.md.
Each bench measures beside its reference in one run. \`--check\` fails when a bar is missed; the last line is JSON. Figures and
all that they were made of are kept in .cache/bench (\`--out\` names another folder).
\`--pairs 5 --other <folder of another checkout>\` runs the bench here and there by turns, and tells medians of the pairs.
`;

const OPTIONS = {
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
  help: { type: 'boolean', default: false },
} as const;

const read = (argv: readonly string[]) => parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS });

export type BenchArguments =
  | { readonly ok: true; readonly name: string; readonly values: ReturnType<typeof read>['values'] }
  | { readonly ok: false; readonly problem: string };

export function readBenchArguments(argv: readonly string[]): BenchArguments {
  try {
    const { values, positionals } = read(argv);
    if (!values.help && (values.pairs === undefined) !== (values.other === undefined))
      return { ok: false, problem: '--pairs and --other go together' };
    if (!['processor', 'direct'].includes(values.kind)) return { ok: false, problem: '--kind is processor or direct' };
    return { ok: true, name: positionals[0] ?? '', values };
  } catch (problem) {
    if (!(problem instanceof TypeError)) throw problem;
    return { ok: false, problem: problem.message };
  }
}
