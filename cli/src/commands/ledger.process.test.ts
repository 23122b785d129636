import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mockUsdcAbi, setPayout, writeDeploymentRecord } from '@svc-pay/evm';
import { deployedWorld, type HandSettled, settleByHand, startAnvil } from '@svc-pay/evm/testing';
import { changeRows, createTestDatabase, seedSettledBatch } from '@svc-pay/postgres/testing';
import { afterAll, expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { runSvc, svcEnvironment } from '../testing/run-svc.ts';

const anvil = await startAnvil();
const folder = mkdtempSync(path.join(tmpdir(), 'svc-ledger-'));
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true });
});
const world = await deployedWorld(anvil);
const { processor } = world.record;
await writeDeploymentRecord(folder, world.record);
const terms = {
  payoutId: 1n,
  merchant: `0x${'6e'.repeat(20)}`,
  feeBps: 250,
  splits: [{ to: `0x${'5b'.repeat(20)}`, bps: 1_000 }],
} as const;
await setPayout(world.registrar, processor, terms);
const blacklist = async (account: `0x${string}`) => {
  const call = { abi: mockUsdcAbi, address: world.token, functionName: 'setBlacklisted' } as const;
  const hash = await world.deployer.writeContract({ ...call, args: [account, true] });
  await world.deployer.waitForTransactionReceipt({ hash });
};
const settled: HandSettled[] = [
  await settleByHand(anvil, world, terms, [
    { capAtomic: 1_000_000n, settledAtomic: 777_777n },
    { capAtomic: 500_001n, settledAtomic: 500_001n },
  ]),
];
await blacklist(terms.splits[0].to);
settled.push(await settleByHand(anvil, world, terms, [{ capAtomic: 90_000n, settledAtomic: 90_000n }]));
const [{ item }] = settled[0]!.payments as [HandSettled['payments'][number]];

const NETWORK = 'eip155:31337';
const setup = { processor, processorVersion: '1.3.0', ready: true, rpcUrls: [anvil.rpcUrl] };

async function books(batches: readonly HandSettled[] = settled) {
  const { url, pool } = await createTestDatabase();
  for (const batch of batches) await seedSettledBatch(pool, batch);
  const environment = { ...svcEnvironment(url), SVC_NETWORKS: JSON.stringify({ [NETWORK]: setup }) };
  return { pool, environment };
}

type Line = {
  check: string;
  network: string | null;
  looked: number;
  differing: number;
  differences: { about: string[]; message: string }[];
};

async function check(environment: Readonly<Record<string, string>>) {
  const { exitCode, document } = await askSvc(environment, 'ledger', 'check', '--records', folder);
  const { holds, lines } = document as { holds: boolean; lines: Line[] };
  return {
    exitCode,
    holds,
    looked: Object.fromEntries(lines.map((line) => [line.check, line.looked])),
    words: lines.flatMap((line) =>
      line.differences.map(({ about, message }) => `${line.check} ${about.join(' ')}: ${message}`),
    ),
  };
}

test('books of a real chain hold: the command ends with 0 and says what it looked at', async () => {
  const { environment } = await books();
  expect(await check(environment)).toEqual({
    exitCode: 0,
    holds: true,
    looked: {
      entries: 3,
      statuses: 3,
      events: 3,
      transfers: 2,
      gas: 2,
      balances: 1,
      nonces: 2,
      overview: 1,
      direct: 0,
      receipts: 0,
    },
    words: [],
  });
  const shown = await runSvc(environment, 'ledger', 'check', '--records', folder);
  expect(shown.exitCode).toBe(0);
  expect(shown.stdout).toMatch(/^CHECK +NETWORK +LOOKED AT +DIFFER +PROVES THAT$/m);
  expect(shown.stdout).toMatch(/^gas +eip155:31337 +2 +0 +network cost and gas losses are what the receipts say$/m);
});

test('a monitor gets the result as a file, and a check that proved nothing leaves the file alone', async () => {
  const { environment } = await books();
  const file = path.join(folder, 'svc_ledger.prom');
  const run = (given: typeof environment) =>
    callSvc(given, 'ledger', 'check', '--records', folder, '--metrics-file', file);
  expect((await run(environment)).exitCode).toBe(0);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^ledger_check_ended_seconds 1\d{9}$/m);
  expect(text).toMatch(/^ledger_check_looked\{check="gas",network="eip155:31337"\} 2$/m);
  expect(text.match(/^ledger_check_differences\{[^}]+\} 0$/gm)).toHaveLength(10);
  const silent = JSON.stringify({ [NETWORK]: { ...setup, rpcUrls: ['http://127.0.0.1:9'] } });
  expect((await run({ ...environment, SVC_NETWORKS: silent })).exitCode).toBe(1);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each<[string, string, readonly unknown[], RegExp]>([
  [
    'an entry that is missing',
    `delete from svc.ledger_entries where account_name = 'merchant' and payment_id = $1`,
    [item.paymentId],
    /^entries pay_\w+: no entry merchant/m,
  ],
  [
    'a wrong amount',
    `update svc.ledger_entries set amount = amount + 1 where account_name = 'merchant' and payment_id = $1`,
    [item.paymentId],
    /^transfers 0x6e\w+ bat_\w+ 0x\w+: sent to it on chain/m,
  ],
  [
    'an event without a payment',
    'delete from svc.intent_codes where intent_id = $1',
    [item.intentId],
    /^events intent code \d+ 0x\w+:\d+: no payment of ours/m,
  ],
  [
    'a payment without an event',
    `update svc.intents set intent_code = 123456789 where id = $1`,
    [item.intentId],
    /^events pay_\w+ 0x\w+:\d+: it is completed, and the chain has no event/m,
  ],
  [
    'a payment of another transaction',
    `update svc.payments set transaction_id = $2, transaction_split_id = $2 || ':1' where id = $1`,
    [item.paymentId, settled[1]!.transactionId],
    /^events pay_\w+ .*log is 0x\w+:\d+ on chain/m,
  ],
  [
    'network cost that is missing',
    `delete from svc.ledger_entries where asset = 'native' and payment_id = $1`,
    [item.paymentId],
    /^gas network bat_\w+ 0x\w+: its receipt says \d+, the books \d+, of which 0 settled nothing$/m,
  ],
  [
    'a gas loss that no receipt has',
    `insert into svc.gas_losses (id, network, relayer, mode, batch_id, transaction_id, cause, amount, created_at)
     select 'lg_planted', network, relayer, mode, id, transaction_id, 'unknown', 5, now() from svc.batches
     where transaction_id = $1`,
    [settled[1]!.transactionId],
    /^gas network bat_\w+ 0x\w+: its receipt says \d+, the books \d+, of which 5 settled nothing$/m,
  ],
  [
    'escrow that the books do not have',
    `update svc.ledger_entries set account_name = 'split' where account_name = 'escrow' and amount <> $1`,
    [0],
    /^balances 0x\w+: the processor owes 9000, the books' escrow that is not withdrawn is 0$/m,
  ],
  [
    'a batch that is not on record',
    `update svc.batches set nonce = nonce + 7 where transaction_id = $1`,
    [settled[1]!.transactionId],
    /^nonces 0x\w+: \d+ nonces have no batch/m,
  ],
])('%s ends the command with 1 and is named', async (_, statement, values, words) => {
  const planted = await books();
  await changeRows(planted.pool, statement, values);
  const { exitCode, holds, words: found } = await check(planted.environment);
  expect({ exitCode, holds }).toEqual({ exitCode: 1, holds: false });
  expect(found).toContainEqual(expect.stringMatching(words));
});

test('a batch that was mined and not recorded leaves a transaction that nobody knows', async () => {
  const { environment } = await books([settled[0]!]);
  const { exitCode, words } = await check(environment);
  expect(exitCode).toBe(1);
  expect(words).toContainEqual(expect.stringContaining('1 of its transactions are in no batch'));
  expect(words).toContainEqual(expect.stringContaining('no payment of ours has its intent code'));
});

test('a node that does not answer, or is of another chain, proves nothing', async () => {
  const { environment } = await books([]);
  const withNode = (network: string, rpcUrl: string) => ({
    ...environment,
    SVC_NETWORKS: JSON.stringify({ [network]: { ...setup, rpcUrls: [rpcUrl] } }),
  });
  for (const [network, url] of [
    [NETWORK, 'http://127.0.0.1:9/provider-key'],
    ['eip155:84532', anvil.rpcUrl],
  ] as const) {
    const { exitCode, stdout, stderr } = await callSvc(withNode(network, url), 'ledger', 'check', '--json');
    expect({ exitCode, ...(JSON.parse(stdout) as object) }).toMatchObject({ exitCode: 1, error: 'chain_unreadable' });
    expect(stdout + stderr).not.toContain('provider-key');
  }
});

test('networks without a node are proven by themselves, and told; one that is asked for by name is not', async () => {
  const { environment } = await books();
  const offline = { ...environment, SVC_NETWORKS: '{}' };
  const { exitCode, document } = await askSvc(offline, 'ledger', 'check');
  expect({ exitCode, document }).toMatchObject({ exitCode: 0, document: { holds: true, uncompared: [NETWORK] } });
  expect((await callSvc(offline, 'ledger', 'check', '--network', NETWORK)).exitCode).toBe(64);
});

test('cost shows settled payments, gas and fees of a period by account and network, and nothing of another period', async () => {
  const { environment } = await books();
  const { exitCode, document } = await askSvc(environment, 'cost', '--from', '2026-01-01', '--to', '2100-01-01');
  expect(exitCode).toBe(0);
  const gas = settled.reduce((sum, { gasCostAtomic }) => sum + gasCostAtomic, 0n);
  const [cost, ...others] = (document as { costs: Record<string, unknown>[] }).costs;
  expect(others).toEqual([]);
  expect(cost).toMatchObject({ network: NETWORK, payments: 3, coin: 'ETH', gasLost: '0' });
  expect(String(cost?.['gasPaid']).replace(/^0\.0*/, '')).toBe(String(gas).replace(/0+$/, ''));
  expect(cost?.['fees']).toHaveLength(1);
  const shown = await callSvc(environment, 'cost', '--from', '2026-01-01', '--to', '2100-01-01');
  expect(shown.stdout).toContain('OF IT LOST');
  const before = await askSvc(environment, 'cost', '--from', '2025-01-01', '--to', '2026-01-01');
  expect(before.document).toMatchObject({ costs: [] });
  expect((await askSvc(environment, 'cost', '--from', '1d', '--to', '2d')).exitCode).toBe(64);
});
