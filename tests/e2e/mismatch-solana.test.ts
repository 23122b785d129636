// Payers on Solana who pay another amount, too late, twice, from another wallet or in another token by a transaction of their
// own, what each policy of the merchant makes of it, and how the merchant resolves it.
import { openNode, readTokenBalance } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { afterAll, expect, test } from 'vitest';
import { askForTransaction } from '../solana/follow-solana-pay.ts';
import { openSolanaShop, type SolanaShop } from '../solana/open-solana-shop.ts';
import { paymentsOf } from './direct-shop.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { askAs, HALF, inTurn, MORE, paymentsRead, setPolicy, type Till, testEachPolicy } from './mismatch-cases.ts';
import { type Leg, linkOf, payByReference } from './solana-pay-calls.ts';
import { endOf, refund } from './solana-refund-calls.ts';
import { newIntent, newPayer, PRICE, startSolanaWorld } from './solana-world.ts';

const world = await startSolanaWorld();
const { pool } = world.database;
const otherMint = await world.solana.addMint();
const absent = await newPayer(world);

afterAll(async () => {
  const { output, exitCode } = await ledgerCheck(world);
  await world.stop();
  expect({ output, exitCode }).toEqual({ output: expect.any(String), exitCode: 0 });
}, 60_000);

/** Shares are rounded down; the merchant has the rest. */
function legsOf({ merchant, splits, feeBps }: SolanaShop, amountAtomic: bigint): readonly Leg[] {
  const shareOf = (bps: number) => (amountAtomic * BigInt(bps)) / 10_000n;
  const others = [
    ...splits.map(({ to, bps }) => ({ owner: to, amountAtomic: shareOf(bps) })),
    { owner: world.feeAccount, amountAtomic: shareOf(feeBps) },
  ];
  const rest = others.reduce((left, leg) => left - leg.amountAtomic, amountAtomic);
  return [{ owner: merchant, amountAtomic: rest }, ...others];
}

type SolanaTill = Omit<Till, 'shop' | 'pay'> & {
  readonly shop: SolanaShop;
  readonly pay: (intentId: string, amountAtomic: bigint) => Promise<{ readonly payer: string }>;
};

async function openTill(): Promise<SolanaTill> {
  const shop = await openSolanaShop(pool, world.solana, world.feeAccount, true);
  for (const { owner } of legsOf(shop, 0n)) await world.solana.fundToken(owner, 0n, otherMint);
  return {
    shop,
    absent: absent.address,
    offer: inTurn(async (body: Readonly<Record<string, unknown>> = {}) => {
      const { id } = await newIntent({ ...world, shop }, body);
      // A reference is read once a wallet has asked for the transaction, whatever it sends then.
      const asked = await askForTransaction(await linkOf({ ...world, shop }, id), absent.address);
      if (!asked.ok) throw new Error(asked.message);
      return id;
    }),
    pay: inTurn(async (intentId: string, amountAtomic: bigint) => {
      const payer = await newPayer(world);
      await payByReference(world, payer, legsOf(shop, amountAtomic), { intentId });
      return { payer: payer.address };
    }),
    payOtherToken: async (intentId) => {
      const payer = await newPayer(world);
      await world.solana.fundToken(payer.address, PRICE, otherMint);
      const sent = await payByReference(world, payer, legsOf(shop, PRICE), { intentId, mint: otherMint });
      const isRead = async () => {
        const { rows } = await pool.query<{ cursor: string | null }>(
          'select cursor from svc.payment_references where intent_id = $1',
          [intentId],
        );
        return rows[0]?.cursor === sent;
      };
      await waitFor(isRead, 90, 'the transaction is read');
      expect(await readTokenBalance([openNode(world.solana.rpcUrl)], payer.address, otherMint)).toBe(0n);
    },
  };
}

await testEachPolicy(world, openTill);

test.concurrent('what is held is accepted once, by the merchant’s own key, and completes the intent', async () => {
  const [till, other] = [await openTill(), await openTill()];
  await setPolicy(world, till.shop, { over: 'hold' });
  const intentId = await till.offer();
  await till.pay(intentId, MORE);
  const [held] = await paymentsRead(world, till.shop, intentId, 1);
  const acceptBy = ({ shop }: Till) => askAs(world, shop, 'POST', `/sdk/payments/${held?.id}/accept`);
  expect(await acceptBy(other)).toMatchObject({ status: 404 });
  for (const _ of [1, 2])
    expect(await acceptBy(till)).toMatchObject({
      status: 200,
      body: { status: 'completed', paidTotal: MORE.toString(), paymentIntent: { status: 'completed' } },
    });
  const [row] = await paymentsOf(world, { paymentIntentId: intentId });
  expect(row?.events).toEqual(['payment.created', 'payment.updated', 'payment.completed']);
});

test.concurrent('a surplus that is due goes back to the payer, and the payment stays completed', async () => {
  const till = await openTill();
  const intentId = await till.offer();
  const { payer } = await till.pay(intentId, MORE);
  const [paid] = await paymentsRead(world, till.shop, intentId, 1);
  const due = paid?.refundDueAmount ?? '';
  const own = { ...world, shop: till.shop, merchant: till.shop.wallet };
  const { id } = await refund(own, paid?.id ?? '', { amount: due });
  expect(await endOf(own, id)).toMatchObject({ status: 'completed', amount: HALF.toString(), to: payer });
  const [after] = await paymentsRead(world, till.shop, intentId, 1);
  expect(after).toMatchObject({ status: 'completed', refundedAmount: HALF.toString() });
  const left = await readTokenBalance([openNode(world.solana.rpcUrl)], payer, DEVNET_USDC);
  expect(left).toBe(PRICE * 10n - PRICE);
});
