// npm run bench: prints with --help what it takes.
import { keepResult } from './keep-result.ts';
import { comparePairs } from './pairs/compare-pairs.ts';
import { runPairs } from './pairs/run-pairs.ts';
import { BENCH_USAGE, readBenchArguments } from './read-arguments.ts';

const given = readBenchArguments(process.argv.slice(2));
if (!given.ok) misused(given.problem);
const { name, values } = given;
if (values.help) {
  process.stdout.write(BENCH_USAGE);
  process.exit(0);
}
const { BENCHES } = await import('./benches.ts');
const bench = BENCHES[name] ?? misused(`which bench? one of: ${Object.keys(BENCHES).join(', ')}`);

function misused(problem: string): never {
  console.error(`${problem}\n--help prints what there is`);
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
