import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployedWorld } from '../testing/plan-world.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { type OnChainPayoutTerms, retirePayout, setPayout } from './set-payout.ts';
import { syncPayouts } from './sync-payouts.ts';

let anvil: Anvil;
let world: Awaited<ReturnType<typeof deployedWorld>>;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployedWorld(anvil);
});

afterAll(async () => {
  await anvil.stop();
});

const terms = (payoutId: bigint): OnChainPayoutTerms => ({
  payoutId,
  merchant: world.stranger.account.address,
  feeBps: 50,
  splits: [{ to: world.deployer.account.address, bps: 250 }],
});

test('a payout is registered once; setting equal terms again sends nothing', async () => {
  const { registrar, record } = world;
  const first = await setPayout(registrar, record.processor, terms(1n));
  expect(first).toMatchObject({ ok: true, alreadyRegistered: false });
  const again = await setPayout(registrar, record.processor, terms(1n));
  expect(again).toEqual({ ok: true, alreadyRegistered: true, transactionHash: null });
});

test('other terms under a used id are refused', async () => {
  const { registrar, record } = world;
  await setPayout(registrar, record.processor, terms(2n));
  const changes: Partial<OnChainPayoutTerms>[] = [
    { feeBps: 51 },
    { merchant: record.timelock },
    { splits: [] },
    { splits: [{ to: record.timelock, bps: 250 }] },
  ];
  for (const change of changes) {
    const outcome = await setPayout(registrar, record.processor, { ...terms(2n), ...change });
    expect(outcome).toMatchObject({ ok: false, code: 'payout_differs' });
  }
});

test('the contract refuses a stranger and bad terms by name', async () => {
  const { registrar, record, stranger } = world;
  const foreign = await setPayout(stranger, record.processor, terms(3n));
  expect(!foreign.ok && foreign.reason).toMatch(/^AccessControlUnauthorizedAccount\(/);
  const greedy = await setPayout(registrar, record.processor, { ...terms(3n), feeBps: 1_001 });
  expect(greedy).toEqual({ ok: false, code: 'reverted', reason: 'FeeTooHigh(1001, 1000)' });
});

test('a retired payout is not set again', async () => {
  const { registrar, record } = world;
  await setPayout(registrar, record.processor, terms(4n));
  expect(await retirePayout(registrar, record.processor, 4n)).toMatchObject({ ok: true });
  expect(await setPayout(registrar, record.processor, terms(4n))).toMatchObject({ ok: false, code: 'payout_retired' });
});

test('the mirror has every change in order and continues where it stopped', async () => {
  const { registrar, record } = world;
  const fromBlock = (await registrar.getBlockNumber()) + 1n;
  await setPayout(registrar, record.processor, terms(5n));
  await setPayout(registrar, record.processor, { ...terms(6n), splits: [] });
  const middle = await registrar.getBlockNumber({ cacheTime: 0 });
  await retirePayout(registrar, record.processor, 5n);
  const end = await registrar.getBlockNumber({ cacheTime: 0 });

  const first = await syncPayouts(registrar, record.processor, { fromBlock, toBlock: middle });
  const second = await syncPayouts(registrar, record.processor, { fromBlock: first.nextBlock, toBlock: end });
  expect(first.changes.map((change) => change.kind === 'registered' && change.terms)).toEqual([
    terms(5n),
    { ...terms(6n), splits: [] },
  ]);
  expect(second.changes).toMatchObject([{ kind: 'retired', payoutId: 5n }]);
  expect(second.nextBlock).toBe(end + 1n);
  const whole = await syncPayouts(registrar, record.processor, { fromBlock: BigInt(record.fromBlock), toBlock: end });
  expect(whole.changes.slice(-3)).toEqual([...first.changes, ...second.changes]);
});

test('a long range is asked in pieces that leave no block out', async () => {
  const asked: [bigint, bigint][] = [];
  const counting = {
    getContractEvents: async (query: { fromBlock: bigint; toBlock: bigint }) => {
      asked.push([query.fromBlock, query.toBlock]);
      return [];
    },
  } as unknown as Parameters<typeof syncPayouts>[0];
  const sync = await syncPayouts(counting, world.record.processor, { fromBlock: 10n, toBlock: 4_500n });
  expect(asked).toEqual([
    [10n, 2_009n],
    [2_010n, 4_009n],
    [4_010n, 4_500n],
  ]);
  expect(sync).toEqual({ changes: [], nextBlock: 4_501n });
});

test('a range that has not begun yet asks nothing and moves nothing', async () => {
  const { registrar, record } = world;
  const sync = await syncPayouts(registrar, record.processor, { fromBlock: 50n, toBlock: 40n });
  expect(sync).toEqual({ changes: [], nextBlock: 50n });
});
