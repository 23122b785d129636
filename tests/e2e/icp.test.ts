// Payments on the Internet Computer through the whole service: real processes, a real canister VM and real certificates. A
// payer transfers by himself; a notification or the reader of the token ledger finds the block.
import { type BoundaryFaults, openSigner, startLocalInternetComputer } from '@svc-pay/icp/local';
import { createSvcPay } from '@svc-pay/sdk';
import { icpWallet } from '@svc-pay/sdk/icp';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { PRICE } from './follow-payment.ts';
import { COMPLETED, followIcp, MADE, MISMATCHED, PAID, UNPAID } from './icp-follow.ts';
import { liveThroughOutage } from './icp-outage.ts';
import {
  accountOf,
  balanceOf,
  giveBack,
  newPayer,
  notify,
  OTHER_LEDGER,
  offer,
  optionOf,
  startIcpWorld,
  TOKEN_LEDGER,
  transfer,
} from './icp-world.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { askRefund, endOf } from './solana-refund-calls.ts';

const [world, other, cutOff] = await Promise.all([
  startIcpWorld({ webhooks: true }),
  startLocalInternetComputer(),
  startIcpWorld({ webhooks: true }),
]);
const { ic, merchant, settlement } = world;
const { pool } = world.database;
const { paymentsOf, seen, becomes, heard, pay, countsNothing, countsOnce } = await followIcp(world);
// A world of its own has no Internet Computer for a minute while the tests run. The last test tells how it ended.
const outage = Promise.allSettled([liveThroughOutage(cutOff, await followIcp(cutOff), 60_000)]);
const faultless = { ...ic.faults };

afterEach(() => {
  Object.assign(ic.faults, faultless);
  world.reach(true);
});

afterAll(async () => {
  const checked = [await ledgerCheck(world), await ledgerCheck(cutOff)];
  await Promise.all([world.stop(), other.stop(), cutOff.stop()]);
  for (const { output, exitCode } of checked) expect([exitCode, output]).toEqual([0, expect.any(String)]);
}, 60_000);

test.concurrent('who pays and notifies is told at once, and everybody reads the same block', async () => {
  const { id, payer, blockIndex } = await pay(await offer(world));
  const expected = {
    status: 'completed',
    network: 'ic',
    transactionId: `${TOKEN_LEDGER}:${blockIndex}`,
    canisterTxId: blockIndex,
    ledgerTxId: blockIndex,
    ledgerCanisterId: TOKEN_LEDGER,
    payer: accountOf(payer),
    paidAmount: PRICE.toString(),
  };
  const answer = await notify(world, id, { ledgerBlockIndex: blockIndex });
  expect(answer).toMatchObject({ status: 'completed', refusal: null, payment: expected });
  expect(await paymentsOf(id)).toMatchObject([expected]);
  expect((await heard(id, [MADE, ...COMPLETED])).at(-1)).toMatchObject(expected);
});

test.concurrent('each event has every field of the interface, with the ledger’s own numbers', async () => {
  const payer = await newPayer(world);
  const expectedSenderPrincipal = payer.getPrincipal().toText();
  const about = { description: 'Tea', metadata: { order: '7' } };
  const { id, option } = await offer(world, { ...about, expectedSenderPrincipal });
  const blockIndex = (await transfer(world, payer, option)).toString();
  await becomes(id, PAID);
  const [intent, created, completed] = await heard(id, [MADE, ...COMPLETED]);
  const amount = PRICE.toString();
  const { accountId } = world.shop;
  const intentCode = Number(Buffer.from(option.memo.slice(2), 'hex').toString().replace('svc:', ''));
  const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const shared = { accountId, amount, ledgerCanisterId: TOKEN_LEDGER, metadata: about.metadata, createdAt };
  expect(intent).toMatchObject({
    ...shared,
    id,
    description: 'Tea',
    expectedSenderPrincipal,
    status: 'requires_payment',
    intentCode,
    x402_upto: false,
  });
  const payment = {
    ...shared,
    id: completed?.['id'],
    paymentIntentId: id,
    transactionId: `${TOKEN_LEDGER}:${blockIndex}`,
    canisterTxId: blockIndex,
    ledgerTxId: blockIndex,
    accountCanisterId: null,
    basePaymentAccountId: null,
    invoiceId: null,
    requestedAmount: amount,
    network: 'ic',
    token: 'ckUSDC',
    intent: { id, intentCode, amount, metadata: about.metadata },
  };
  expect(created).toMatchObject(payment);
  expect(completed).toMatchObject({
    ...payment,
    status: 'completed',
    paidAmount: amount,
    completedAt: createdAt,
    transactionSplitId: `${TOKEN_LEDGER}:${blockIndex}:0`,
  });
});

test.concurrent('a page pays through the SDK: the signer transfers, the service is notified, and who waits hears the end', async () => {
  const payer = await newPayer(world);
  const wallet = icpWallet({ signer: await openSigner(ic, payer) });
  const told: string[] = [];
  const notified: unknown[] = [];
  const send: typeof fetch = async (input, init) => {
    if ((input as string).endsWith('/payments/notify')) notified.push(JSON.parse(init?.body as string));
    return fetch(input, init);
  };
  const { apiUrl: baseUrl, shop } = world;
  const page = createSvcPay({ baseUrl, publishableKey: shop.publishableKey, wallet, ports: { fetch: send } });
  for (const name of ['created', 'updated', 'completed', 'failed', 'mismatched'] as const)
    page.on(`svc-sdk-transaction-${name}`, ({ flow }) => told.push(`${name} ${flow}`));
  const paid = await page.createPayment({ usdAmount: '1.5', tokenShortcode: 'iclocal_ckusdc' });
  const { paymentIntentId, transactionId } = paid;
  expect(paid).toMatchObject({ status: 'completed', amount: PRICE.toString() });
  expect(transactionId).toMatch(new RegExp(`^${TOKEN_LEDGER}:\\d+$`));
  expect(notified).toContainEqual(expect.objectContaining({ paymentIntentId, transactionId }));
  expect(await page.waitForPayment(paid)).toMatchObject({ status: 'completed', transactionId });
  expect(await balanceOf(world, payer)).toBe(PRICE * 9n - world.ledger.fee);
  // X402 is tried first, and fails before anything is signed. How often an update is told depends on who is faster.
  const [attempt, fallback, ...lifecycle] = told;
  expect([attempt, fallback]).toEqual(['created x402', 'failed x402']);
  expect([...new Set(lifecycle)]).toEqual(['created regular', 'updated regular', 'completed regular']);
  await heard(paymentIntentId, [MADE, ...COMPLETED]);
});

test.concurrent('a payment that nobody notified of is found', async () => {
  const { id } = await pay(await offer(world));
  await becomes(id, PAID);
  await heard(id, [MADE, ...COMPLETED]);
});

test.concurrent('less is a part that is kept, and the rest, of the same amount too, completes the intent', async () => {
  const offered = await offer(world);
  const half = PRICE / 2n;
  const { id, payer } = await pay(offered, half);
  await becomes(id, `mismatched: mismatched ${half} (0)`);
  await transfer(world, payer, await optionOf(world, id), half);
  await becomes(id, `completed: mismatched ${half} (0), completed ${half} (0)`);
  await heard(id, [MADE, ...MISMATCHED, ...COMPLETED]);
});

test.concurrent('more completes the intent, and the surplus is due back', async () => {
  const { id } = await pay(await offer(world), PRICE + 7n);
  await becomes(id, `completed: completed ${PRICE + 7n} (7)`);
  await heard(id, [MADE, ...COMPLETED]);
});

test.concurrent('the same transfer again is a duplicate to the ledger, and a second payer’s money is due back', async () => {
  const offered = await offer(world);
  const { id, payer, index } = await pay(offered);
  await expect(transfer(world, payer, offered.option)).rejects.toMatchObject({
    errorType: { Duplicate: { duplicate_of: index } },
  });
  await becomes(id, PAID);
  const second = await pay(offered);
  expect(await notify(world, id, { canisterTxId: second.blockIndex })).toMatchObject({ status: 'completed' });
  await becomes(id, `${PAID}, mismatched ${PRICE} (${PRICE})`);
  await heard(id, [MADE, ...COMPLETED, ...MISMATCHED]);
});

test.concurrent('money that comes too late is kept beside the intent, which stays ended', async () => {
  const offered = await offer(world);
  await pool.query(`update svc.intents set expires_at = now() - interval '2 minutes' where id = $1`, [offered.id]);
  await becomes(offered.id, 'canceled: ');
  const { id, blockIndex } = await pay(offered);
  expect(await notify(world, id, { ledgerBlockIndex: blockIndex })).toMatchObject({ refusal: null });
  await becomes(id, `canceled: mismatched ${PRICE} (${PRICE})`);
  await heard(id, [MADE, 'payment_intent.canceled', ...MISMATCHED]);
});

test.concurrent('money of another sender is kept beside the intent, whose own sender can still pay', async () => {
  const expected = await newPayer(world);
  const offered = await offer(world, { expectedSenderPrincipal: expected.getPrincipal().toText() });
  const { id } = await pay(offered);
  const beside = `mismatched ${PRICE} (${PRICE})`;
  await becomes(id, `requires_payment: ${beside}`);
  await transfer(world, expected, offered.option);
  await becomes(id, `completed: ${beside}, completed ${PRICE} (0)`);
  await heard(id, [MADE, ...MISMATCHED, ...COMPLETED]);
});

test.concurrent('a transfer on another ledger pays nothing, whatever is said about it', async () => {
  const { id, option } = await offer(world);
  const payer = await newPayer(world);
  const index = (await transfer({ ...world, ledger: world.otherLedger }, payer, option)).toString();
  for (const named of [
    { ledgerBlockIndex: index, ledgerCanisterId: OTHER_LEDGER },
    { transactionId: `${OTHER_LEDGER}:${index}` },
  ])
    expect(await notify(world, id, named)).toMatchObject({ status: UNPAID.slice(0, -2), refusal: 'other_ledger' });
  // The block of this number on the ledger of the intent is another.
  const { refusal } = await notify(world, id, { ledgerBlockIndex: index });
  expect(['block_not_found', 'not_a_transfer', 'other_account', 'other_memo']).toContain(refusal);
  expect(await seen(id)).toBe(UNPAID);
  await transfer(world, payer, option);
  await becomes(id, PAID);
  await heard(id, [MADE, ...COMPLETED]);
});

test.concurrent('a block pays its own intent once, and no other, however often it is named', async () => {
  const [first, second] = [await offer(world), await offer(world)];
  const { id, payer, blockIndex } = await pay(first);
  const toStranger = { ...second.option, to: { ...second.option.to, owner: payer.getPrincipal().toText() } };
  const astray = await transfer(world, await newPayer(world), toStranger);
  const refusalOf = async (hints: object) => (await notify(world, second.id, { ...hints })).refusal;
  const named = Array.from({ length: 8 }, () => notify(world, id, { ledgerBlockIndex: blockIndex }));
  expect(new Set((await Promise.all(named)).map(({ refusal }) => refusal))).toEqual(new Set([null]));
  expect(await refusalOf({ ledgerBlockIndex: blockIndex })).toBe('other_memo');
  await becomes(id, PAID);
  expect(await refusalOf({ ledgerBlockIndex: blockIndex })).toBe('other_memo');
  expect(await refusalOf({ transactionId: `${TOKEN_LEDGER}:${blockIndex}` })).toBe('other_memo');
  expect(await refusalOf({ ledgerBlockIndex: '0' })).toBe('not_a_transfer');
  expect(await refusalOf({ ledgerBlockIndex: '999999' })).toBe('block_not_found');
  expect(await refusalOf({ ledgerBlockIndex: astray.toString() })).toBe('other_account');
  expect([await seen(id), await seen(second.id)]).toEqual([PAID, UNPAID]);
  await heard(id, [MADE, ...COMPLETED]);
  await heard(second.id, [MADE]);
});

test.concurrent('a transfer that the merchant names gives the payment back, once, to its payer alone', async () => {
  const [paid, second, third] = [
    await pay(await offer(world)),
    await pay(await offer(world)),
    await pay(await offer(world)),
  ];
  for (const { id } of [paid, second, third]) await becomes(id, PAID);
  const paymentIdOf = async ({ id }: { id: string }) => (await paymentsOf(id))[0]?.id ?? '';
  const refuse = await askRefund(world, await paymentIdOf(paid));
  expect(refuse).toMatchObject({ status: 422, body: { error: 'refund_not_available' } });
  const transactionId = await giveBack(world, paid.payer, PRICE);
  const report = async (of: typeof paid, named: string) => {
    const { status, body } = await askRefund(world, await paymentIdOf(of), { transactionId: named });
    if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return endOf(world, body.refund.id);
  };
  const failed = { status: 'failed', failureCode: 'refund_transfer_not_proven' };
  const [own, strangers, payment] = await Promise.all([
    report(paid, transactionId),
    report(second, transactionId),
    // The payment itself is no refund.
    report(third, `${TOKEN_LEDGER}:${third.blockIndex}`),
  ]);
  expect(own).toMatchObject({
    status: 'completed',
    amount: PRICE.toString(),
    from: accountOf(merchant),
    to: accountOf(paid.payer),
    transactionId,
  });
  expect(strangers).toMatchObject(failed);
  expect(payment).toMatchObject(failed);
  expect(await balanceOf(world, paid.payer)).toBe(PRICE * 10n - world.ledger.fee);
  await heard(paid.id, [MADE, ...COMPLETED, 'payment.refunded']);
  for (const { id } of [second, third]) await heard(id, [MADE, ...COMPLETED]);
});

/** Pays while settlement does not reach the ledger. */
async function payUnseen() {
  const offered = await offer(world);
  world.reach(false);
  return pay(offered);
}

const LIES: Readonly<Record<string, Partial<BoundaryFaults>>> = {
  'a forged certificate': { certificates: 'forged' },
  'a certificate under another root key': { certificates: 'foreign' },
  'a certificate of an hour ago': { certificateAgeMs: 3_600_000 },
  'a boundary node that lives an hour ago': { certificateAgeMs: 3_600_000, staleTime: true },
};

test(`${Object.keys(LIES).join(', ')}: none counts, by the reader or by notify, and the truth counts afterwards`, async () => {
  const paid = await payUnseen();
  for (const lie of Object.values(LIES)) {
    Object.assign(ic.faults, faultless, lie);
    world.reach(true);
    await countsNothing(paid);
  }
  Object.assign(ic.faults, faultless);
  await countsOnce(paid);
});

test('settlement that is dead while payments come, and one that has another root key, loses none and counts none twice', async () => {
  await settlement.kill('SIGKILL');
  const paid = await Promise.all([1, 2, 3].map(async () => pay(await offer(world))));
  await settlement.start({ SVC_NETWORKS: world.networksWith({ rootKey: other.rootKey }) });
  await Promise.all(paid.map(countsNothing));
  await settlement.kill('SIGKILL');
  await settlement.start();
  await Promise.all(paid.map(countsOnce));
});

test('a token ledger that has become another is not read and not offered, and goes on when it is the old one', async () => {
  const stopped = async (count: number) => {
    const metrics = await (await fetch(`${world.internalUrl}/metrics`)).text();
    return metrics.includes(`reader_token_ledgers_stopped{network="icp:local"} ${count}`);
  };
  const offered = await offer(world);
  await settlement.kill('SIGKILL');
  const paid = await pay(offered);
  await other.installLedger({ canisterId: TOKEN_LEDGER });
  await settlement.start({ SVC_NETWORKS: world.networksWith(other) });
  await waitFor(() => stopped(1), 20, 'stopped');
  expect(settlement.output()).toContain('token_ledger_forked');
  await vi.waitFor(() => expect(offer(world)).rejects.toThrow('nothing to transfer'), 10_000);
  expect(await notify(world, paid.id, { ledgerBlockIndex: paid.blockIndex })).toMatchObject({ refusal: null });
  expect(await seen(paid.id)).toBe(UNPAID);
  await settlement.kill('SIGKILL');
  await settlement.start();
  await countsOnce(paid);
  await waitFor(() => stopped(0), 20, 'read again');
});

test('what is paid while the boundary nodes are down for a minute counts afterwards, of an intent too that ended meanwhile', async () => {
  const [ended] = await outage;
  if (ended.status === 'rejected') throw ended.reason;
});
