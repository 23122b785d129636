import { evmNetwork } from '@svc-pay/protocol';
import { hexToBytes } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLaneChain } from '../send/create-lane-chain.ts';
import { createLocalSigner } from '../signer/local-signer.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { TWO_DAYS_SECONDS } from '../testing/plan-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { tokenCall } from './ceremony.ts';
import { type DeploymentQuestion, readDeployment } from './read-deployment.ts';
import { execute, propose } from './timelock.ts';

let anvil: Anvil;
let world: LaneWorld;
beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

const question = (change: Partial<DeploymentQuestion> = {}): DeploymentQuestion => ({
  chainId: world.record.chainId,
  processor: world.record.processor,
  tokens: [{ shortcode: 'usdc', address: world.token, domain: { name: 'USD Coin', version: '2' } }],
  ...change,
});

test('processor, domain and gas of a transfer are what the chain has', async () => {
  expect(await readDeployment(world.rpc, question())).toEqual({
    processorVersion: world.record.processorVersion,
    tokens: [
      {
        shortcode: 'usdc',
        address: world.token.toLowerCase(),
        callGas: 200_000n,
        hourlyCapAtomic: world.plan.tokens[0]!.operatorHourlyCapAtomic,
        domainDiffers: false,
      },
    ],
  });
});

test('another domain is told; a token that the processor does not take, and an address without it, say nothing', async () => {
  const other = { shortcode: 'usdc', address: world.token, domain: { name: 'USD Coin', version: '1' } };
  const stranger = { ...other, address: world.stranger.account.address };
  expect(await readDeployment(world.rpc, question({ tokens: [other, stranger] }))).toMatchObject({
    tokens: [{ shortcode: 'usdc', domainDiffers: true }],
  });
  const nobody = question({ processor: world.stranger.account.address });
  expect(await readDeployment(world.rpc, nobody)).toEqual({ processorVersion: null, tokens: [] });
});

test('a token that is given more gas than the default fits when the lane is told so', async () => {
  const token = { ...world.plan.tokens[0]!, callGas: 1_000_000 };
  const operation = { label: 'more gas', calls: [tokenCall(world.record.processor, token)] };
  expect(await propose(world.council, world.record, operation)).toMatchObject({ ok: true });
  await anvil.advance(TWO_DAYS_SECONDS);
  expect(await execute(world.council, world.record, operation)).toMatchObject({ ok: true });
  const { tokens } = await readDeployment(world.rpc, question());
  expect(tokens).toMatchObject([{ callGas: 1_000_000n }]);
  const items = [await world.newItem()];
  const laneWith = (callGasOf?: (asset: string) => bigint) =>
    createLaneChain({
      network: evmNetwork(world.record.chainId),
      rpc: world.rpc,
      endpoints: [world.rpc],
      signer: createLocalSigner(hexToBytes(world.relayerKey)),
      ...(callGasOf !== undefined && { callGasOf }),
    });
  expect(await laneWith().simulate(items)).not.toMatchObject({ ok: true, outcomes: ['settled'] });
  const told = laneWith((asset) => tokens.find(({ address }) => address === asset)?.callGas ?? 0n);
  expect(await told.simulate(items)).toMatchObject({ ok: true, outcomes: ['settled'] });
});
