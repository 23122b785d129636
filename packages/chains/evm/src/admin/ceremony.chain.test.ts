import { encodeFunctionData, keccak256, stringToHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import { deployedWorld, planWorld, TWO_DAYS_SECONDS } from '../testing/plan-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { ceremonyCalls, performCeremony } from './ceremony.ts';
import { deployProcessor } from './deploy-processor.ts';
import { pauseProcessor, unpauseOperation } from './pause-processor.ts';
import { retireRelayer, revokeRelayerOperation, rotateRelayerOperation } from './relayers.ts';
import { roleMembers } from './roles.ts';
import { sendCall } from './send-call.ts';
import { execute, propose } from './timelock.ts';
import { deploymentProblems } from './verify-deployment.ts';

let anvil: Anvil;

beforeAll(async () => {
  anvil = await startAnvil();
});

afterAll(async () => {
  await anvil.stop();
});

test('after the ceremony the chain is as planned, before it every gap is named', async () => {
  const world = await planWorld(anvil);
  const deployed = await deployProcessor(world.deployer, world.plan);
  if (!deployed.ok) throw new Error(deployed.code);
  const before = await deploymentProblems(world.deployer, deployed.record, world.plan);
  expect(before).toContain(`relayer: ${world.plan.relayers[0]} lacks the role`);
  expect(before).toContain('the timelock waits 0 s');
  expect(before).toHaveLength(6);
  expect(await performCeremony(world.council, deployed.record, world.plan)).toMatchObject({ ok: true });
  expect(await deploymentProblems(world.deployer, deployed.record, world.plan)).toEqual([]);
});

test('a council that signs elsewhere gets the two calls as data', async () => {
  const world = await planWorld(anvil);
  const deployed = await deployProcessor(world.deployer, world.plan);
  if (!deployed.ok) throw new Error(deployed.code);
  const calls = ceremonyCalls(deployed.record, world.plan);
  expect(await sendCall(world.council, calls.propose)).toMatchObject({ ok: true });
  expect(await sendCall(world.council, calls.execute)).toMatchObject({ ok: true });
  expect(await deploymentProblems(world.deployer, deployed.record, world.plan)).toEqual([]);
});

test('nobody but the council performs it', async () => {
  const world = await planWorld(anvil);
  const deployed = await deployProcessor(world.deployer, world.plan);
  if (!deployed.ok) throw new Error(deployed.code);
  const outcome = await performCeremony(world.deployer, deployed.record, world.plan);
  expect(!outcome.ok && outcome.reason).toMatch(/^AccessControlUnauthorizedAccount\(/);
});

test('verification finds a foreign key, other limits, another plan and a pause', async () => {
  const { plan, record, deployer, guardian, stranger } = await deployedWorld(anvil);
  const token = { ...plan.tokens[0]!, callGas: 300_000 };
  expect(await deploymentProblems(deployer, record, { ...plan, relayers: [stranger.account.address] })).toEqual([
    `relayer: ${stranger.account.address} lacks the role`,
    `relayer: ${plan.relayers[0]} is not in the plan`,
  ]);
  expect(await deploymentProblems(deployer, record, { ...plan, tokens: [token] })).toHaveLength(1);
  expect(await deploymentProblems(deployer, record, { ...plan, council: [stranger.account.address] })).toHaveLength(2);
  expect(await deploymentProblems(deployer, { ...record, chainId: 1 }, plan)).toEqual(['the record is of chain 1']);
  await pauseProcessor(guardian, record.processor);
  expect(await deploymentProblems(deployer, record, plan)).toEqual(['the processor is paused']);
});

test('verification finds somebody who was let into the timelock later', async () => {
  const { plan, record, deployer, council, stranger } = await deployedWorld(anvil);
  const data = encodeFunctionData({
    abi: adminTimelockAbi,
    functionName: 'grantRole',
    args: [keccak256(stringToHex('PROPOSER_ROLE')), stranger.account.address],
  });
  const operation = { label: 'a new member', calls: [{ to: record.timelock, data }] };
  await propose(council, record, operation);
  await anvil.advance(TWO_DAYS_SECONDS);
  await execute(council, record, operation);
  expect(await deploymentProblems(deployer, record, plan)).toEqual([
    `timelock proposer: ${stranger.account.address} is not in the plan`,
  ]);
});

test('the guardian pauses at once, the council resumes after its delay', async () => {
  const { record, guardian, council, stranger, plan, deployer } = await deployedWorld(anvil);
  const refused = await pauseProcessor(stranger, record.processor);
  expect(!refused.ok && refused.reason).toMatch(/^AccessControlUnauthorizedAccount\(/);
  expect(await pauseProcessor(guardian, record.processor)).toMatchObject({ ok: true });
  const operation = unpauseOperation(record.processor, 'resume after the drill');
  expect(await propose(council, record, operation)).toMatchObject({
    ok: true,
    readyInSeconds: BigInt(TWO_DAYS_SECONDS),
  });
  const early = await execute(council, record, operation);
  expect(!early.ok && early.reason).toMatch(/^TimelockUnexpectedOperationState\(/);
  await anvil.advance(TWO_DAYS_SECONDS);
  expect(await execute(council, record, operation)).toMatchObject({ ok: true });
  expect(await deploymentProblems(deployer, record, plan)).toEqual([]);
});

test('a relayer is rotated through the timelock', async () => {
  const { record, council, relayer, stranger } = await deployedWorld(anvil);
  const change = { incoming: stranger.account.address, outgoing: relayer.account.address };
  const operation = rotateRelayerOperation(record.processor, change);
  await propose(council, record, operation);
  await anvil.advance(TWO_DAYS_SECONDS);
  await execute(council, record, operation);
  expect(await roleMembers(council, record.processor, 'relayer')).toEqual([change.incoming]);
});

test('a relayer retires by its own key, without waiting', async () => {
  const { record, relayer } = await deployedWorld(anvil);
  expect(await retireRelayer(relayer, record.processor)).toMatchObject({ ok: true });
  expect(await roleMembers(relayer, record.processor, 'relayer')).toEqual([]);
});

test('a relayer whose key is lost is revoked by the council', async () => {
  const { record, council, relayer } = await deployedWorld(anvil);
  const operation = revokeRelayerOperation(record.processor, relayer.account.address);
  await propose(council, record, operation);
  await anvil.advance(TWO_DAYS_SECONDS);
  await execute(council, record, operation);
  expect(await roleMembers(council, record.processor, 'relayer')).toEqual([]);
});
