// Accounts for every unit of a cap: the chain, the ledger and the answer agree to the unit.
import { randomInt } from 'node:crypto';
import { type Address, createPublicClient, type Hex, http, parseAbi, parseEventLogs } from 'viem';
import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { openShop, type Shop } from './open-shop.ts';
import { startWorld, type World } from './start-world.ts';
import { prepareUpto, settleUpto } from './upto-calls.ts';
import { payerOf } from './wallet.ts';

const TRIPLES = 200;
const SHOPS = 8;
const EVENTS = parseAbi([
  'event PaymentSettled(uint64 indexed intentCode, address indexed payer, address indexed token, uint64 payoutId, uint256 cap, uint256 settled, uint256 fee)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

const someSplits = (count: number) => Array.from({ length: count }, () => randomInt(1, 1_100));
/** Always includes the largest fee with the most splits, and no fee without splits. */
const TERMS = [
  { feeBps: 0, splitBps: [] },
  { feeBps: 1_000, splitBps: someSplits(8) },
  ...Array.from({ length: SHOPS - 2 }, (_, index) => ({ feeBps: randomInt(0, 1_001), splitBps: someSplits(index) })),
];

/** From a few units to many, to cover all roundings. */
function someAmounts(): { cap: bigint; settled: bigint } {
  const cap = BigInt(randomInt(1, 10 ** randomInt(1, 12)));
  const settled = 1n + (cap * BigInt(randomInt(0, 1_000_000))) / 1_000_000n;
  return { cap, settled: settled > cap ? cap : settled };
}

type Parts = {
  readonly refund: bigint;
  readonly fee: bigint;
  readonly splits: readonly bigint[];
  readonly merchant: bigint;
};

function partsOf({ feeBps, splits }: Shop, cap: bigint, settled: bigint): Parts {
  const share = (bps: number) => (settled * BigInt(bps)) / 10_000n;
  const shares = splits.map(({ bps }) => share(bps));
  const fee = share(feeBps);
  return {
    refund: cap - settled,
    fee,
    splits: shares,
    merchant: shares.reduce((rest, part) => rest - part, settled - fee),
  };
}

async function payOne(world: World, shop: Shop) {
  const { cap, settled } = someAmounts();
  const payer = payerOf((await world.chain.newKey()).account);
  const door = { apiUrl: world.apiUrl, shop };
  const [call] = await Promise.all([
    prepareUpto(door, payer, { capAtomic: cap }),
    world.chain.mint(world.chain.tokens.usdc, payer.address, cap),
  ]);
  const { paymentIntentId, paymentHeader } = call;
  const { body } = await settleUpto(door, { paymentIntentId, paymentHeader, settledAmount: settled.toString() });
  return { shop, payer, cap, settled, body, parts: partsOf(shop, cap, settled) };
}

async function bookedParts({ database }: World, paymentId: unknown) {
  const { rows } = await database.pool.query<{ account_name: string; party: string; amount: string }>(
    "select account_name, party, amount from svc.ledger_entries where payment_id = $1 and asset <> 'native'",
    [paymentId],
  );
  return rows.map(({ account_name, party, amount }) => `${account_name} ${party} ${amount}`).sort();
}

test(`${TRIPLES} random caps, settled amounts and terms: chain, books and answers agree to the unit`, async () => {
  const world = await startWorld({ api: { SVC_SETTLE_WAIT_MS: '60000' } });
  const { chain, database } = world;
  const shops: Shop[] = [];
  for (const terms of TERMS) shops.push(await openShop(database.pool, chain, terms));
  const paid = await Promise.all(
    Array.from({ length: TRIPLES }, (_, index) => payOne(world, shops[index % SHOPS] as Shop)),
  );
  expect(paid.filter(({ body }) => body.status !== 'succeeded').map(({ body }) => body)).toEqual([]);

  const node = createPublicClient({ transport: http(chain.rpcUrl) });
  const hashes = [...new Set(paid.map(({ body }) => body.transactionId as Hex))];
  const logs = (await Promise.all(hashes.map((hash) => node.getTransactionReceipt({ hash })))).flatMap((receipt) =>
    parseEventLogs({ abi: EVENTS, logs: receipt.logs }),
  );
  const arrived = new Map<string, bigint>();
  for (const log of logs) {
    if (log.eventName !== 'Transfer') continue;
    const to = log.args.to.toLowerCase();
    arrived.set(to, (arrived.get(to) ?? 0n) + log.args.value);
  }
  const owed = new Map<string, bigint>();
  const owe = (to: Address, amount: bigint) => owed.set(to.toLowerCase(), (owed.get(to.toLowerCase()) ?? 0n) + amount);

  for (const { shop, payer, cap, settled, body, parts } of paid) {
    const { refund, fee, splits, merchant } = parts;
    expect(body).toMatchObject({
      settledAmount: settled.toString(),
      capAmount: cap.toString(),
      refundAmount: refund.toString(),
      platformFeeAmount: fee.toString(),
    });
    const event = logs.find(({ eventName, args }) => eventName === 'PaymentSettled' && args.payer === payer.address);
    expect(event?.args).toMatchObject({ cap, settled, fee });
    expect(await chain.balanceOf(chain.tokens.usdc, payer.address)).toBe(refund);
    const entries = [
      ['payer', payer.address, -cap],
      ['merchant', shop.merchant, merchant],
      ...shop.splits.map(({ to }, index) => ['split', to, splits[index] ?? 0n] as const),
      ['platform_fee', chain.plan.feeRecipient, fee],
      ['refund', payer.address, refund],
    ] as const;
    const expected = entries.filter(([, , amount]) => amount !== 0n);
    expect(await bookedParts(world, body.payment?.['id'])).toEqual(
      expected.map(([account, party, amount]) => `${account} ${party.toLowerCase()} ${amount}`).sort(),
    );
    for (const [account, party, amount] of expected) if (account !== 'payer') owe(party, amount);
  }
  // A batch sends one transfer per recipient, so recipients are compared by their sums.
  arrived.delete(chain.record.processor.toLowerCase());
  expect(arrived).toEqual(owed);
  console.log(`${TRIPLES} up-to payments in ${hashes.length} transactions`);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});
