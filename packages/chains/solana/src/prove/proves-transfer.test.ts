import { beforeAll, expect, test } from 'vitest';
import { type Actors, drawActors } from '../testing/actors.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import type { TransferTerms } from '../transfer/transfer-terms.ts';
import { provesTransfer } from './proves-transfer.ts';
import { readLanding } from './read-balance-changes.ts';

let actors: Actors;
let terms: TransferTerms;
let accounts: readonly [payer: string, merchant: string, platform: string, stranger: string];
beforeAll(async () => {
  actors = await drawActors();
  terms = actors.terms('pi_1');
  const account = (owner: string) => tokenAccountOf(owner, terms.mint, terms.tokenProgram);
  const { payer, merchant, platform, stranger } = actors;
  accounts = [
    await account(payer.address),
    await account(merchant),
    await account(platform),
    await account(stranger.address),
  ];
});

type Amounts = readonly (bigint | undefined)[];
/** Balances of payer, merchant, platform and a stranger; undefined where there is no account. */
const raw = (
  before: Amounts,
  after: Amounts,
  { err = null, mint = terms.mint }: { err?: string | null; mint?: string } = {},
) => ({
  slot: 5n,
  transaction: { signatures: ['1'], message: { accountKeys: [actors.relayer.address, ...accounts] } },
  meta: {
    err,
    preBalances: [1_000_000n, 0n, 0n, 0n, 0n],
    postBalances: [989_400n, 0n, 0n, 0n, 0n],
    preTokenBalances: balances(before, mint),
    postTokenBalances: balances(after, mint),
  },
});
const balances = (amounts: Amounts, mint: string) =>
  amounts.flatMap((amount, index) =>
    amount === undefined
      ? []
      : [{ accountIndex: BigInt(index + 1), mint, uiTokenAmount: { amount: amount.toString() } }],
  );
test('a payment to the merchant alone is proven by one transfer', async () => {
  const alone = actors.terms('pi_1', [{ owner: actors.merchant, amountAtomic: 1_000_000n }]);
  const landed = (after: Amounts) => readLanding(raw([1_000_000n, 0n, 7n], after))!;
  expect(await provesTransfer(landed([0n, 1_000_000n, 7n]), alone)).toBe(true);
  expect(await provesTransfer(landed([0n, 990_000n, 10_007n]), alone)).toBe(false);
});

const proves = (...given: Parameters<typeof raw>) => {
  const landing = readLanding(raw(...given));
  if (landing === undefined) throw new Error('nothing landed');
  return provesTransfer(landing, terms);
};

test('a payment is proven by what each account gained and lost, to the unit', async () => {
  expect(await proves([1_000_000n, 0n, 7n], [0n, 990_000n, 10_007n])).toBe(true);
  expect(await proves([1_000_000n, undefined, 7n], [0n, 990_000n, 10_007n])).toBe(true);
  expect(await proves([1_000_000n, 0n, 7n], [0n, 989_999n, 10_007n])).toBe(false);
  expect(await proves([1_000_000n, 0n, 7n], [1n, 990_000n, 10_007n])).toBe(false);
  expect(await proves([1_000_000n, 0n], [0n, 990_000n])).toBe(false);
});

test('what moved besides, in another mint, or in a transaction that was undone proves nothing', async () => {
  expect(await proves([1_000_001n, 0n, 0n, 0n], [0n, 990_000n, 10_000n, 1n])).toBe(false);
  expect(await proves([1_000_000n, 0n, 0n], [0n, 990_000n, 10_000n], { mint: actors.merchant })).toBe(false);
  expect(await proves([1_000_000n, 0n, 0n], [0n, 990_000n, 10_000n], { err: 'AccountInUse' })).toBe(false);
});

test('two legs to one account are one gain', async () => {
  const [leg] = terms.legs;
  const twice = { ...terms, legs: [leg!, leg!] };
  const landing = readLanding(raw([1_980_000n, 0n], [0n, 1_980_000n]));
  expect(await provesTransfer(landing!, twice)).toBe(true);
});

test('the cost is what the fee payer is poorer by', () => {
  expect(readLanding(raw([], []))?.costLamports).toBe(10_600n);
});

test('a transaction that a node does not have is nothing', () => {
  expect(readLanding(null)).toBeUndefined();
});
