import type { LaneItem, TracedAuthorization } from '@svc-pay/core';
import { type Address, encodeFunctionData, type Hex, parseSignature } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { traceAuthorizations } from './trace-authorizations.ts';

let anvil: Anvil;
let world: LaneWorld;
beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
});
afterAll(() => anvil.stop());

const head = () => world.deployer.getBlockNumber({ cacheTime: 0 });
const traced = (item: LaneItem, claimedAtSeconds: bigint): TracedAuthorization => ({ ...item, claimedAtSeconds, item });
const now = async () => (await world.deployer.getBlock()).timestamp;

async function submit(item: LaneItem, to = item.processor): Promise<Hex> {
  const { r, s, yParity } = parseSignature(item.signature as Hex);
  const data = encodeFunctionData({
    abi: mockUsdcAbi,
    functionName: 'transferWithAuthorization',
    args: [
      item.payer as Address,
      to as Address,
      item.capAtomic,
      item.validAfterSeconds,
      item.validBeforeSeconds,
      item.nonce as Hex,
      yParity + 27,
      r,
      s,
    ],
  });
  return send(data);
}

async function send(data: Hex): Promise<Hex> {
  const hash = await world.deployer.sendTransaction({ to: world.token, data, gas: 300_000n });
  const { status } = await world.deployer.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  return hash;
}

async function richPayer(): Promise<PrivateKeyAccount> {
  const payer = privateKeyToAccount(generatePrivateKey());
  await world.mint(payer.address);
  return payer;
}

const outcomes = (items: readonly TracedAuthorization[], block: bigint, rpc: JsonRpc = world.rpc) =>
  traceAuthorizations(rpc, items, block);

test('its own settlement, a stranger’s submission and a nonce that nobody used are told apart', async () => {
  const since = await now();
  const items = [await world.newItem(), await world.newItem(), await world.newItem()] as const;
  const batch = await world.mine([items[0]]);
  const hash = await submit(items[1]);
  const told = await outcomes(
    items.map((item) => traced(item, since)),
    await head(),
  );
  expect(told[0]).toMatchObject({
    outcome: 'settled',
    mined: { transactionId: batch.transactions[0]?.transactionId, items: [{ outcome: 'settled' }] },
  });
  expect(told[1]).toMatchObject({ outcome: 'stranded', transactionId: hash, logIndex: expect.any(Number) });
  expect(told[2]).toEqual({ outcome: 'untold' });
});

test('a nonce burned by another authorization to somebody else brought us nothing', async () => {
  const payer = await richPayer();
  const since = await now();
  const item = await world.newItem({ payer });
  const { name, version } = { name: 'USD Coin', version: '2' };
  const other = await payer.signTypedData({
    domain: { name, version, chainId: world.record.chainId, verifyingContract: world.token },
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: payer.address,
      to: payer.address,
      value: item.capAtomic,
      validAfter: item.validAfterSeconds,
      validBefore: item.validBeforeSeconds,
      nonce: item.nonce as Hex,
    },
  });
  const hash = await submit({ ...item, signature: other }, payer.address);
  expect(await outcomes([traced(item, since)], await head())).toEqual([{ outcome: 'burned', transactionId: hash }]);
});

test('a canceled one is burned', async () => {
  const payer = await richPayer();
  const since = await now();
  const item = await world.newItem({ payer });
  const signature = await payer.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: world.record.chainId, verifyingContract: world.token },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce: item.nonce as Hex },
  });
  const { r, s, yParity } = parseSignature(signature);
  const hash = await send(
    encodeFunctionData({
      abi: mockUsdcAbi,
      functionName: 'cancelAuthorization',
      args: [payer.address, item.nonce as Hex, yParity + 27, r, s],
    }),
  );
  expect(await outcomes([traced(item, since)], await head())).toEqual([{ outcome: 'burned', transactionId: hash }]);
});

test('what lies behind the final block is not believed yet', async () => {
  const since = await now();
  const item = await world.newItem();
  const before = await head();
  await submit(item);
  expect(await outcomes([traced(item, since)], before)).toEqual([{ outcome: 'untold' }]);
  expect(await outcomes([traced(item, since)], await head())).toMatchObject([{ outcome: 'stranded' }]);
});

test('a node that answers few blocks at once is asked in pieces, and one without receipts decides nothing', async () => {
  const since = await now();
  const item = await world.newItem();
  await submit(item);
  const stingy: JsonRpc = async (calls) => {
    const answers = await world.rpc(calls);
    return calls.map((call, index) => {
      const [range] = call.params as { fromBlock?: string; toBlock?: string }[];
      const wide = call.method === 'eth_getLogs' && BigInt(range?.toBlock ?? 0) - BigInt(range?.fromBlock ?? 0) > 1n;
      const refused = { ok: false, code: -32_005, message: 'too many blocks', data: null } as const;
      return wide ? refused : (answers[index] ?? refused);
    });
  };
  expect(await outcomes([traced(item, since)], await head(), stingy)).toMatchObject([{ outcome: 'stranded' }]);
  const forgetful: JsonRpc = async (calls) => {
    const answers = await world.rpc(calls);
    return calls.map(({ method }, index) =>
      method === 'eth_getTransactionReceipt'
        ? { ok: true, result: null }
        : (answers[index] ?? { ok: true, result: null }),
    );
  };
  await expect(outcomes([traced(item, since)], await head(), forgetful)).rejects.toThrow('no receipt');
});
