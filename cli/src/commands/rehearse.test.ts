// What `svc rehearse` refuses before anything is asked of a deployment, with a node that answers from a recording.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRpcReplayer } from '@svc-pay/evm';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { askSvc } from '../testing/call-svc.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-rehearse-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = path.join(folder, 'payer.key');
writeFileSync(keyFile, `0x${'01'.repeat(32)}\n`);
let outs = 0;
const ENVIRONMENT = {
  SVC_API_URL: 'http://127.0.0.1:9',
  SVC_SECRET_KEY: 'sk_test_abc',
  SVC_REHEARSE_DIRECT_KEY: 'sk_test_def',
  SVC_RPC_URL: 'http://127.0.0.1:9',
};

async function rehearse(environment: object, ...argv: readonly string[]) {
  outs += 1;
  const out = path.join(folder, `out-${outs}`);
  const given = ['--network', 'base-sepolia', '--payer-key-file', keyFile, '--out', out, ...argv];
  const { exitCode, document } = await askSvc({ ...ENVIRONMENT, ...environment }, 'rehearse', ...given);
  return { exitCode, ...(document as { error?: string; message?: string }), out };
}

/** A node whose chain has this id, where everybody has this balance. */
async function nodeOf(chainId: bigint, balance: bigint): Promise<string> {
  const hex = (value: bigint) => `0x${value.toString(16)}`;
  const payer = '1a642f0e3c3af545e7acbd38b07251b3990914f1';
  const data = `0x70a08231${payer.padStart(64, '0')}`;
  const call = [{ to: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', data }, 'latest'];
  const exchange = (method: string, params: unknown, result: string) =>
    ({ atMs: 0, ms: 0, batch: true, status: 200, calls: [{ method, params }], answers: [{ result }] }) as const;
  const replayer = await startRpcReplayer({
    head: { recording: 1, network: 'eip155:84532', provider: 'local', recordedAt: '' },
    exchanges: [exchange('eth_chainId', [], hex(chainId)), exchange('eth_call', call, hex(balance))],
  });
  onTestFinished(() => replayer.close());
  return replayer.url;
}

test.each(['base', 'polygon', 'ethereum', 'eip155:8453', '1'])('the live network %s is refused', async (network) => {
  const refused = await rehearse({}, '--network', network);
  expect(refused).toMatchObject({ exitCode: 64, message: expect.stringContaining('live network') });
});

test.each([
  [['--network', 'moon'], 'no such network'],
  [['--network', 'solana-devnet'], 'no EVM network'],
  [['--flows', 'exact,refund'], '--flows'],
  [['--flows', 'exact,exact,direct'], undefined],
  [['--amount', '0.0000001'], '--amount'],
  [['--amount', '-1'], '--amount'],
  [['--asset', 'basesepolia_doge'], '--asset'],
  [['--wait', 'soon'], '--wait'],
  [['--listen', 'here'], '--listen'],
  [['--payer-key-file', '/dev/null'], '--payer-key-file'],
] as const)('%j is %s', async (argv, problem) => {
  const { exitCode, message } = await rehearse({ SVC_RPC_URL: await nodeOf(84_532n, 0n) }, ...argv);
  if (problem === undefined) expect(exitCode).toBe(1);
  else expect({ exitCode, message }).toEqual({ exitCode: 64, message: expect.stringContaining(problem) });
});

test.each([
  [{ SVC_SECRET_KEY: 'sk_live_abc' }, 'live key'],
  [{ SVC_REHEARSE_DIRECT_KEY: 'sk_live_abc' }, 'SVC_REHEARSE_DIRECT_KEY'],
  [{ SVC_REHEARSE_DIRECT_KEY: '' }, 'SVC_REHEARSE_DIRECT_KEY_FILE is missing'],
  [{ SVC_RPC_URL: '' }, 'SVC_RPC_URL'],
])('settings %j are refused, by name', async (environment, problem) => {
  const refused = await rehearse(environment);
  expect(refused).toMatchObject({ exitCode: 1, error: 'configuration', message: expect.stringContaining(problem) });
  expect(refused.message).not.toContain('sk_live_abc');
});

test('a payer without enough tokens signs nothing, and is told its address', async () => {
  const refused = await rehearse({ SVC_RPC_URL: await nodeOf(84_532n, 70_053n) });
  expect(refused).toMatchObject({ exitCode: 1, error: 'payer_too_poor' });
  expect(refused.message).toMatch(/0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1 has 0\.070053 USDC and needs 0\.070054/);
  expect(readdirSync(refused.out)).toEqual(['rpc-1.jsonl']);
});

test('more than the limit is not signed for', async () => {
  const SVC_RPC_URL = await nodeOf(84_532n, 10_000_000n);
  expect(await rehearse({ SVC_RPC_URL }, '--amount', '0.02')).toMatchObject({ exitCode: 1, error: 'limit_reached' });
});

test('a node of another chain is refused', async () => {
  const SVC_RPC_URL = await nodeOf(8_453n, 10_000_000n);
  expect(await rehearse({ SVC_RPC_URL })).toMatchObject({ exitCode: 1, error: 'wrong_chain' });
});

test('a node of another chain is not recorded either', async () => {
  const SVC_RPC_URL = await nodeOf(8_453n, 0n);
  expect(await rehearse({ SVC_RPC_URL }, '--record-only')).toMatchObject({ exitCode: 1, error: 'wrong_chain' });
});

test('a folder in which another process rehearses is refused; a lock of a dead one is not', async () => {
  const SVC_RPC_URL = await nodeOf(84_532n, 0n);
  const used = path.join(folder, 'used');
  mkdirSync(used);
  writeFileSync(path.join(used, 'lock'), String(process.ppid));
  const refused = await rehearse({ SVC_RPC_URL }, '--out', used);
  expect(refused).toMatchObject({ exitCode: 1, error: 'folder_in_use' });
  expect(readdirSync(used)).toEqual(['lock']);
  writeFileSync(path.join(used, 'lock'), '4194999');
  expect(await rehearse({ SVC_RPC_URL }, '--out', used)).toMatchObject({ error: 'payer_too_poor' });
  expect(readdirSync(used)).toEqual(['rpc-1.jsonl']);
});

test('a released cap counts against the limit until its signature has expired', async () => {
  const SVC_RPC_URL = await nodeOf(84_532n, 0n);
  const out = path.join(folder, 'released');
  mkdirSync(out);
  const journalOf = (validBefore: number) =>
    [
      { kind: 'intent', flow: 'upto', paymentIntentId: 'pi_1', signs: '50038' },
      { kind: 'signed', paymentIntentId: 'pi_1', token: '0x', amount: '50038', validBefore },
      { kind: 'ended', paymentIntentId: 'pi_1', how: 'released' },
    ].map((line) => `${JSON.stringify(line)}\n`);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  writeFileSync(path.join(out, 'journal.jsonl'), journalOf(nowSeconds + 600).join(''));
  expect(await rehearse({ SVC_RPC_URL }, '--out', out)).toMatchObject({ error: 'limit_reached' });
  writeFileSync(path.join(out, 'journal.jsonl'), journalOf(nowSeconds - 600).join(''));
  expect(await rehearse({ SVC_RPC_URL }, '--out', out)).toMatchObject({ error: 'payer_too_poor' });
});
