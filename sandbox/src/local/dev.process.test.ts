import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { curl } from './banner.ts';

type Started = {
  baseUrl: string;
  account: { id: string; publishableKey: string; secretKey: string };
  chain: { rpcUrl: string; processor: string };
  curl: string;
};

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-dev-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a program in its own process group, as a terminal does. */
function start(program: string, ...argv: readonly string[]) {
  const child = spawn(program, argv, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const signalGroup = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal);
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) signalGroup('SIGKILL');
  });
  return {
    ended: once(child, 'exit').then(([code]) => code as number | null),
    signalGroup,
    stderr: () => stderr,
    started: () => vi.waitFor(() => JSON.parse(stdout) as Started, { timeout: 45_000, interval: 50 }),
  };
}

/** The command as typed. npm's own exit code after Ctrl-C is not checked. */
const npmRunDev = (...argv: string[]) => start('npm', 'run', '--silent', 'dev', '--', '--json', ...argv);
/** The program that npm starts. */
const dev = (...argv: string[]) => start('.ci/with-node', 'node', 'sandbox/src/local/main.ts', '--json', ...argv);

/** Processes of this folder: database, chain and engine name it in their command line, services log into it. */
function processesOf(folder: string): string[] {
  const concerns = (pid: string) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return `${command}${environment}`.includes(folder) || readlinkSync(`/proc/${pid}/fd/1`).startsWith(folder);
    } catch {
      // The process has ended meanwhile.
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && concerns(name));
}

/** Joins the code blocks of a page to one program, placed where `viem` resolves as in the reader's own project. */
function programOf(page: string, blockCount: number): string {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);
  expect(blocks).toHaveLength(blockCount);
  const file = path.resolve(`.cache/${path.basename(page, '.md')}-${process.pid}.mjs`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, blocks.join('\n'));
  onTestFinished(() => rmSync(file));
  return file;
}

const answerTo = async (command: string) => (await promisify(execFile)('bash', ['-c', command])).stdout;

// sandbox.process.test.ts, which starts the same world, tests that a kept folder keeps its account and that guards end
// the processes of a killed command.
test('npm run dev: the printed curl answers 402, the pages’ programs pay, Ctrl-C leaves nothing running, a lost chain is said, --fresh begins anew', async () => {
  const folder = newFolder();
  const first = npmRunDev('--folder', folder);
  const { baseUrl, account, chain, curl: printed } = await first.started();
  const answer = await answerTo(printed);
  expect(answer).toMatch(/^HTTP\/1\.1 402 /);
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
    accepts: [{ network: 'eip155:31337', maxAmountRequired: '12500000', payTo: chain.processor }],
  });
  expect(await answerTo(printed.replace('anvil_usdc', 'anvil_vol'))).toContain(
    '"maxAmountRequired":"5000000000000000000"',
  );
  const env = {
    PATH: '/usr/bin:/bin',
    BASE_URL: baseUrl,
    PUBLISHABLE_KEY: account.publishableKey,
    SECRET_KEY: account.secretKey,
    ACCOUNT_ID: account.id,
  };
  const run = async (program: string) =>
    (await promisify(execFile)(process.execPath, [program], { env, timeout: 60_000 })).stdout;
  expect(await run(programOf('docs/integrate/pay-from-code.md', 6))).toMatch(/^completed 0x[0-9a-f]{64}\n$/);
  expect(await run(programOf('docs/integrate/up-to.md', 4))).toBe('succeeded 1250000 3750000\n');
  expect(statSync(path.join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(readFileSync(path.join(folder, 'api.log'), 'utf8')).not.toContain(account.publishableKey);
  expect(processesOf(folder).length).toBeGreaterThan(1);
  first.signalGroup('SIGINT');
  await first.ended;
  await vi.waitFor(() => expect(processesOf(folder)).toEqual([]), 15_000);

  rmSync(path.join(folder, 'chain.json'));
  const forgetful = dev('--folder', folder);
  expect(await forgetful.ended).toBe(1);
  expect(forgetful.stderr()).toContain('the chain has lost payments that the database knows of; start with --fresh');
  expect(processesOf(folder)).toEqual([]);

  writeFileSync(path.join(folder, 'mine.txt'), 'not of the world');
  const fresh = dev('--folder', folder, '--fresh');
  expect((await fresh.started()).account.secretKey).not.toBe(account.secretKey);
  expect(readFileSync(path.join(folder, 'mine.txt'), 'utf8')).toBe('not of the world');
  fresh.signalGroup('SIGINT');
  expect(await fresh.ended).toBe(0);
  expect(processesOf(folder)).toEqual([]);
}, 180_000);

test('npm run dev -- --check pays twice, exact and up-to, says so, and leaves nothing', async () => {
  const check = dev('--check');
  expect({ exitCode: await check.ended, said: check.stderr() }).toMatchObject({
    exitCode: 0,
    said: expect.stringMatching(/the rest is back, all is in place .* s\neverything stopped/),
  });
});

test('the README shows the command that npm run dev prints', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(
    `\`\`\`sh\n${curl('http://127.0.0.1:8402', 'pk_test_…')}\n\`\`\``,
  );
});

test('a port that is taken, and a wrong call, are said in words', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const busy = dev('--folder', newFolder(), '--port', String(port));
  expect(await busy.ended).toBe(1);
  expect(busy.stderr()).toContain(`port ${port} is taken`);
  const wrong = dev('--port', 'x');
  expect(await wrong.ended).toBe(64);
});
