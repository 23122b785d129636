import { judgeItem, type LaneItem, type PendingBatch, type UnsettledOutcome } from '@svc-pay/core';
import { type Address, encodeDeployData, type Hex, hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { oddUsdcAbi } from '../generated/odd-usdc-abi.ts';
import { oddUsdcBytecode } from '../generated/odd-usdc-bytecode.ts';
import { walletCreation } from '../local/wallet-creation.ts';
import { laneCall } from '../processor/lane-call.ts';
import { createLocalSigner } from '../signer/local-signer.ts';
import { type LaneWorld, laneWorld } from '../testing/lane-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { createLaneChain } from './create-lane-chain.ts';

const CALL_GAS = 200_000n;

let anvil: Anvil;
let world: LaneWorld;
let payout: LaneItem['payout'];

beforeAll(async () => {
  anvil = await startAnvil();
  world = await laneWorld(anvil);
  payout = await world.newDirectPayout();
});
afterAll(() => anvil.stop());

const newKey = () => privateKeyToAccount(generatePrivateKey());
const simulated = async (...items: readonly LaneItem[]) => {
  const simulation = await world.lane.simulate(items);
  return simulation.ok ? simulation.outcomes : simulation.cause;
};
const minedOutcomes = async (batch: PendingBatch) => {
  const [mined] = await world.lane.findMined([batch]);
  return mined?.items.map(({ outcome }) => outcome);
};
const balanceOf = (account: string, token: Address = world.token) =>
  world.deployer.readContract({ address: token, abi: mockUsdcAbi, functionName: 'balanceOf', args: [account as Hex] });
const write = async (functionName: 'setBlacklisted' | 'setPaused', args: readonly unknown[]) => {
  const call = { address: world.token, abi: mockUsdcAbi, functionName, args } as never;
  await world.waitMined(await world.deployer.writeContract(call));
};
/** Somebody else submits the authorization, by the same call of the token. */
const submitAsStranger = async (item: LaneItem) => {
  const { to, data } = laneCall([item], CALL_GAS);
  await world.waitMined(await world.stranger.sendTransaction({ to, data, gas: 700_000n }));
};
const deploy = async (data: Hex): Promise<Address> => {
  const hash = await world.deployer.sendTransaction({ data });
  await world.waitMined(hash);
  const { contractAddress } = await world.deployer.getTransactionReceipt({ hash });
  if (typeof contractAddress !== 'string') throw new Error('nothing was deployed');
  return contractAddress;
};

test('of 50 payments to three wallets each gets its own outcome, and the others arrive whole', async () => {
  const payouts = [payout, await world.newDirectPayout(), await world.newDirectPayout({ use: 'shared' })];
  const payers = await world.newPayers(47);
  const good = await Promise.all(
    payers.map((payer, index) =>
      world.newItem({ payer, payout: payouts[index % 3]!, capAtomic: 1_000n + BigInt(index) }),
    ),
  );
  const used = await world.newItem({ payout });
  await submitAsStranger(used);
  const items = [
    ...good.slice(0, 20),
    await world.newItem({ payout: payouts[1]!, validBeforeSeconds: 5n }),
    await world.newItem({ payout: payouts[2]!, payer: newKey() }),
    used,
    ...good.slice(20),
  ];
  expect(items).toHaveLength(50);
  const expected = items.map((item, index) => {
    if (good.includes(item)) return 'settled';
    return ['expired', 'insufficient_funds', 'authorization_used'][index - 20];
  });
  expect(world.lane.fit(items).items).toEqual(items);
  expect(laneCall(items, CALL_GAS)).toMatchObject({ form: 'direct_batch', to: DIRECT_BATCH_ADDRESS });
  const wallets = payouts.map(({ merchant }) => merchant);
  const before = await Promise.all(wallets.map((wallet) => balanceOf(wallet)));
  expect(await simulated(...items)).toEqual(expected);
  const batch = await world.mine(items);
  const [mined] = await world.lane.findMined([batch]);
  expect(mined?.items.map(({ outcome }) => outcome)).toEqual(expected);
  expect(mined).toMatchObject({ reverted: false, feeRecipient: '' });
  const settled = mined?.items.flatMap((item) => (item.outcome === 'settled' ? [item] : [])) ?? [];
  expect(new Set(settled.map(({ logIndex }) => logIndex)).size).toBe(47);
  expect(
    settled.every(({ logIndex, transferLogIndex, feeAtomic }) => logIndex === transferLogIndex && feeAtomic === 0n),
  ).toBe(true);
  const sums = wallets.map((wallet) =>
    good.filter(({ processor }) => processor === wallet).reduce((sum, { capAtomic }) => sum + capAtomic, 0n),
  );
  expect(await Promise.all(wallets.map((wallet) => balanceOf(wallet)))).toEqual(
    before.map((balance, index) => balance + (sums[index] ?? 0n)),
  );
  expect(await balanceOf(DIRECT_BATCH_ADDRESS)).toBe(0n);
}, 30_000);

test('a contract wallet pays alone, by the form of the call that takes its signature as bytes', async () => {
  const owner = newKey();
  const wallet = await deploy(walletCreation(owner.address));
  await world.mint(wallet);
  const item = await world.newItem({ payout, payer: owner, wallet: { address: wallet } });
  expect(world.lane.fit([item, await world.newItem({ payout })]).items).toEqual([item]);
  expect(laneCall([item], CALL_GAS)).toMatchObject({ form: 'direct_single', to: item.asset });
  expect(await simulated(item)).toEqual(['settled']);
  expect(await minedOutcomes(await world.mine([item]))).toEqual(['settled']);
  expect(await simulated(item)).toEqual(['authorization_used']);
});

test('the relayer needs no role, and no hourly cap counts the money', async () => {
  const { privateKey } = await anvil.newKey();
  const [item, other] = [await world.newItem({ payout }), await world.newItem({ payout })];
  const chain = createLaneChain({
    network: payout.direct!.network,
    rpc: world.rpc,
    endpoints: [world.rpc],
    signer: createLocalSigner(hexToBytes(privateKey)),
    checkActivation: async () => ({ ok: true }),
  });
  const simulation = await chain.simulate([item, other]);
  expect(simulation).toMatchObject({ ok: true, outcomes: ['settled', 'settled'] });
  expect(simulation).not.toHaveProperty('capRoomAtomic');
  const signed = await chain.sign([item, other], 0n);
  expect(await chain.broadcast(signed.raw)).toEqual({ outcome: 'known' });
  await world.waitMined(signed.transactionId);
  const batch = { id: 'b', nonce: 0n, status: 'broadcast', sentAtMs: 0, transactions: [signed] } as const;
  expect(await minedOutcomes({ ...batch, items: [item, other] })).toEqual(['settled', 'settled']);
});

test('where the batch contract is missing, a batch is refused as a whole and each payment passes alone', async () => {
  const code = await world.deployer.getCode({ address: DIRECT_BATCH_ADDRESS });
  const items = [await world.newItem({ payout }), await world.newItem({ payout })];
  await anvil.removeCode(DIRECT_BATCH_ADDRESS);
  expect(await simulated(...items)).toBe('refused');
  expect(await simulated(items[0]!)).toEqual(['settled']);
  await world.rpc([{ method: 'anvil_setCode', params: [DIRECT_BATCH_ADDRESS, code] }]);
  expect(await simulated(...items)).toEqual(['settled', 'settled']);
});

describe('a refused payment is held, never failed, and says why', () => {
  const refusalOf = (item: LaneItem, outcome: unknown) => judgeItem(item, outcome as UnsettledOutcome);
  const alone = async (item: LaneItem) => {
    const [outcome] = await simulated(item);
    const [inBatch] = await simulated(item, await world.newItem({ payout }));
    expect(inBatch).toBe(outcome);
    return { outcome, judgement: refusalOf(item, outcome) };
  };

  test.each<[string, () => Promise<LaneItem>, string, string | undefined]>([
    ['an empty wallet', () => world.newItem({ payout, payer: newKey() }), 'insufficient_funds', 'insufficient_funds'],
    ['an ended window', () => world.newItem({ payout, validBeforeSeconds: 5n }), 'expired', 'authorization_expired'],
    [
      'a signature for another amount',
      async () => ({ ...(await world.newItem({ payout })), capAtomic: 999n, settledAtomic: 999n }),
      'pull_refused',
      'token_refused',
    ],
    [
      'a use by somebody else',
      async () => {
        const item = await world.newItem({ payout });
        await submitAsStranger(item);
        return item;
      },
      'authorization_used',
      undefined,
    ],
  ])('%s', async (_, newItem, outcome, refusal) => {
    const judgement = refusal === undefined ? { end: 'held' } : { end: 'held', refusal };
    expect(await alone(await newItem())).toEqual({ outcome, judgement });
  });

  test('a window that has not begun is queued again', async () => {
    const item = await world.newItem({ payout, validAfterSeconds: 1n << 39n, validBeforeSeconds: (1n << 39n) + 9n });
    expect(await alone(item)).toEqual({ outcome: 'not_yet_valid', judgement: { end: 'queued' } });
  });

  test('a payer on the token’s blacklist, and one who is taken off it pays with the same signature', async () => {
    const item = await world.newItem({ payout });
    await write('setBlacklisted', [item.payer, true]);
    expect(await alone(item)).toEqual({
      outcome: 'pull_refused',
      judgement: { end: 'held', refusal: 'token_refused' },
    });
    await write('setBlacklisted', [item.payer, false]);
    expect(await simulated(item)).toEqual(['settled']);
  });

  test('a merchant’s wallet on the token’s blacklist refuses its own payments only', async () => {
    const blocked = await world.newDirectPayout();
    await write('setBlacklisted', [blocked.merchant, true]);
    const items = [await world.newItem({ payout: blocked }), await world.newItem({ payout })];
    expect(await simulated(...items)).toEqual(['pull_refused', 'settled']);
    expect(await minedOutcomes(await world.mine(items))).toEqual(['pull_refused', 'settled']);
  });

  test('a paused token, and after it the same payments pass', async () => {
    const items = [await world.newItem({ payout }), await world.newItem({ payout })];
    await write('setPaused', [true]);
    expect(await simulated(...items)).toEqual(['pull_refused', 'pull_refused']);
    expect(await simulated(items[0]!)).toEqual(['pull_refused']);
    await write('setPaused', [false]);
    expect(await minedOutcomes(await world.mine(items))).toEqual(['settled', 'settled']);
  });
});

describe('the logs of a token prove a payment, whatever its call answers', () => {
  const oddToken = async (oddity: number) => {
    const token = await deploy(encodeDeployData({ abi: oddUsdcAbi, bytecode: oddUsdcBytecode, args: [oddity] }));
    const own = await world.newDirectPayout({ asset: token.toLowerCase() });
    return { token, own };
  };

  test('a token that takes a fee pays less than was asked: nothing is completed', async () => {
    const { token, own } = await oddToken(0);
    const items = [await world.newItem({ token, payout: own }), await world.newItem({ token, payout: own })];
    const used = ['authorization_used', 'authorization_used'];
    expect(await minedOutcomes(await world.mine(items))).toEqual(used);
    expect(await balanceOf(own.merchant, token)).toBe(1_980n);
    expect(used.map((outcome) => judgeItem(items[0]!, outcome as UnsettledOutcome))).toEqual([
      { end: 'held' },
      { end: 'held' },
    ]);
  });

  test('a token that does not revert for a used nonce: no log, no payment', async () => {
    const { token, own } = await oddToken(1);
    const items = [await world.newItem({ token, payout: own }), await world.newItem({ token, payout: own })];
    await submitAsStranger(items[0]!);
    // The call of a batch passes; the state says alone that the nonce is used.
    expect(await simulated(...items)).toEqual(['settled', 'settled']);
    expect(await simulated(items[0]!)).toEqual(['authorization_used']);
    expect(await minedOutcomes(await world.mine(items))).toEqual(['no_evidence', 'settled']);
    expect(await balanceOf(own.merchant, token)).toBe(2_000n);
  });

  test('two payments of one payer that would share one transfer: one is completed', async () => {
    const { token, own } = await oddToken(2);
    const first = await world.newItem({ token, payout: own });
    const payer = newKey();
    await world.mine([first]);
    // The next use of this token moves nothing; the one after it does.
    const items = [
      await world.newItem({ token, payout: own, payer }),
      await world.newItem({ token, payout: own, payer }),
    ];
    await world.mintOf(token, payer.address);
    expect(await minedOutcomes(await world.mine(items))).toEqual(['authorization_used', 'settled']);
    expect(await balanceOf(own.merchant, token)).toBe(2_000n);
  });
});

describe('another submits the authorization after our simulation', () => {
  test('in a batch: its item is refused, the others settle, and the stranger’s logs are none of ours', async () => {
    const items = [await world.newItem({ payout }), await world.newItem({ payout })];
    expect(await simulated(...items)).toEqual(['settled', 'settled']);
    await submitAsStranger(items[0]!);
    expect(await minedOutcomes(await world.mine(items))).toEqual(['authorization_used', 'settled']);
  });

  test('alone: the transaction reverts, and the token says that the authorization is used', async () => {
    const item = await world.newItem({ payout });
    await submitAsStranger(item);
    const batch = await world.mine([item]);
    const [mined] = await world.lane.findMined([batch]);
    expect(mined).toMatchObject({ reverted: true, items: [{ outcome: 'authorization_used' }] });
  });

  test('a payer who empties the wallet after our simulation only delays the payment', async () => {
    const payer = newKey();
    await world.mint(payer.address);
    const [item, drain] = [
      await world.newItem({ payout, payer }),
      await world.newItem({ payout, payer, capAtomic: 1_000_000n }),
    ];
    expect(await simulated(item)).toEqual(['settled']);
    await submitAsStranger(drain);
    const [mined] = await world.lane.findMined([await world.mine([item])]);
    expect(mined).toMatchObject({ reverted: true, items: [{ outcome: 'reverted_alone' }] });
    expect(judgeItem(item, 'reverted_alone')).toEqual({ end: 'held', refusal: 'token_refused' });
    await world.mint(payer.address);
    expect(await minedOutcomes(await world.mine([item]))).toEqual(['settled']);
  });
});

describe('a payout whose activation does not check', () => {
  test('keeps its payments from being sent, and the others go', async () => {
    const { merchant } = await world.newDirectPayout();
    // As if somebody had written another wallet into the row: the payer signed to it, and nobody activated it.
    const forged = { ...payout, merchant, direct: { ...payout.direct!, wallet: merchant } };
    const items = [await world.newItem({ payout: forged }), await world.newItem({ payout })];
    expect(await simulated(...items)).toEqual(['withdrawn', 'settled']);
    expect(await simulated(items[0]!)).toEqual(['withdrawn']);
  });

  test('by a lane without the check keeps every direct payment', async () => {
    const chain = createLaneChain({
      network: payout.direct!.network,
      rpc: world.rpc,
      endpoints: [world.rpc],
      signer: createLocalSigner(hexToBytes(world.relayerKey)),
    });
    expect(await chain.simulate([await world.newItem({ payout })])).toMatchObject({ outcomes: ['withdrawn'] });
  });
});
