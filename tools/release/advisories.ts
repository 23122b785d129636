// npm run advisories     asks the registry for known holes in production dependencies. Red from `high` on. A registry that
//                        gives no advice is named as a skip: it is no proof either way.
import { spawnSync } from 'node:child_process';

type Advice = {
  readonly message?: string;
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
};

const RED = new Set(['high', 'critical']);
const child = spawnSync('npm', ['audit', '--omit=dev', '--json', '--loglevel=silent'], {
  encoding: 'utf8',
  timeout: 30_000,
});
const advice = read(child.stdout);
if (advice?.metadata?.vulnerabilities === undefined) {
  console.log(`advisories: SKIPPED, the registry gives no advice (${advice?.message ?? 'no answer'})`);
} else {
  const found = Object.entries(advice.vulnerabilities ?? {});
  for (const [name, { severity, range }] of found) console.log(`${severity}  ${name} ${range}`);
  console.log(`advisories: ${found.length} in production dependencies`);
  process.exitCode = found.some(([, { severity }]) => RED.has(severity)) ? 1 : 0;
}

function read(json: string): Advice | undefined {
  try {
    return JSON.parse(json) as Advice;
  } catch {
    // An answer that is no JSON is the registry's page of an error: no advice.
    return undefined;
  }
}
