import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planWorld } from '../testing/plan-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { CREATE2_FACTORY } from './create2.ts';
import { deployProcessor } from './deploy-processor.ts';
import { readDeploymentRecord, recordFile, writeDeploymentRecord } from './deployment-record.ts';
import { openChain } from './open-chain.ts';

let first: Anvil;
let second: Anvil;

beforeAll(async () => {
  [first, second] = await Promise.all([startAnvil(), startAnvil()]);
});

afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
});

test('the same plan has the same addresses on every chain', async () => {
  const { plan, deployer } = await planWorld(first);
  const here = await deployProcessor(deployer, plan);
  const there = await deployProcessor(await second.newAccount(), plan);
  expect(here.ok && there.ok && here.record.processor === there.record.processor).toBe(true);
  expect(here.ok && there.ok && here.record.timelock === there.record.timelock).toBe(true);
  expect(here.ok && here.record.processorVersion).toBe('1.3.0');
});

test('deploying again finds what is there and sends nothing', async () => {
  const { plan, deployer, stranger } = await planWorld(first);
  const once = await deployProcessor(deployer, plan);
  const sentBefore = await stranger.getTransactionCount({ address: stranger.account.address });
  const again = await deployProcessor(stranger, plan);
  expect(again.ok && once.ok && again.record.processor === once.record.processor).toBe(true);
  expect(again.ok && again.record.transactionHash).toBe(null);
  expect(again.ok && again.record.fromBlock).toBe('0');
  expect(await stranger.getTransactionCount({ address: stranger.account.address })).toBe(sentBefore);
});

test('another label or another key is another processor', async () => {
  const { plan, deployer } = await planWorld(first);
  const outcomes = [
    await deployProcessor(deployer, plan),
    await deployProcessor(deployer, { ...plan, label: 'other' }),
    await deployProcessor(deployer, { ...plan, feeRecipient: plan.guardian }),
  ];
  const addresses = outcomes.map((outcome) => (outcome.ok ? outcome.record.processor : ''));
  expect(new Set(addresses).size).toBe(3);
});

test('a plan in which one key opens two doors is refused before anything is sent', async () => {
  const { plan, deployer } = await planWorld(first);
  const outcome = await deployProcessor(deployer, { ...plan, guardian: plan.registrar });
  expect(outcome).toMatchObject({ ok: false, code: 'plan_invalid' });
  expect(!outcome.ok && outcome.problems).toEqual([`${plan.registrar} is both registrar and guardian`]);
});

test('a chain without the factory is told so', async () => {
  const bare = await startAnvil();
  try {
    await bare.removeCode(CREATE2_FACTORY);
    const { plan, deployer } = await planWorld(bare);
    expect(await deployProcessor(deployer, plan)).toMatchObject({ ok: false, code: 'factory_missing' });
  } finally {
    await bare.stop();
  }
});

test('the record that is written is the record that is read; anything else is refused', async () => {
  const { plan, deployer } = await planWorld(first);
  const outcome = await deployProcessor(deployer, plan);
  if (!outcome.ok) throw new Error(outcome.code);
  const directory = await mkdtemp(path.join(tmpdir(), 'deployments-'));
  try {
    const chainId = outcome.record.chainId;
    expect(await readDeploymentRecord(directory, chainId)).toMatchObject({ ok: false, code: 'record_missing' });
    await writeDeploymentRecord(directory, outcome.record);
    expect(await readDeploymentRecord(directory, chainId)).toEqual({ ok: true, record: outcome.record });
    const again = await deployProcessor(deployer, plan);
    if (again.ok) await writeDeploymentRecord(directory, again.record);
    expect(await readDeploymentRecord(directory, chainId)).toEqual({ ok: true, record: outcome.record });
    for (const broken of ['{', 'null', '{}', JSON.stringify({ ...outcome.record, processor: '0x12' })]) {
      await writeFile(recordFile(directory, chainId), broken);
      expect(await readDeploymentRecord(directory, chainId)).toMatchObject({ ok: false, code: 'record_invalid' });
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('trouble on the way to the chain is thrown, not called a refusal', async () => {
  const { deployer } = await planWorld(first);
  await expect(openChain({ rpcUrl: 'http://127.0.0.1:1', account: deployer.account })).rejects.toThrow();
});
