// Payments on a local Internet Computer, from the payer's call to the books, with real Postgres and real certificates.
import { accountText, checkBooks, createFindings, memoOfIntent } from '@svc-pay/core';
import { withBooks } from '@svc-pay/postgres/operator';
import { createIcrcWorld, createTestDatabase, DOLLAR, ICRC_NETWORK, type IcrcWorld } from '@svc-pay/postgres/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  identityNamed,
  type LocalInternetComputer,
  type LocalLedger,
  openLedgerClient,
  startLocalInternetComputer,
} from '../local/index.ts';
import { createIcrcChain } from './icrc-chain.ts';

const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const [alice, shop] = [identityNamed('alice'), identityNamed('shop')];
const merchant = accountText(shop.getPrincipal().toUint8Array(), null);
const payer = accountText(alice.getPrincipal().toUint8Array(), null);

let ic: LocalInternetComputer;
let ledger: LocalLedger;
let pool: IcrcWorld['pool'];

beforeAll(async () => {
  ic = await startLocalInternetComputer();
  ledger = await ic.installLedger({ canisterId: LEDGER, archive: { above: 6, count: 4 } });
  await ledger.mint({ owner: alice.getPrincipal(), subaccount: [] }, 1_000n * DOLLAR);
});
afterAll(() => ic.stop());

afterEach(async () => {
  Object.assign(ic.faults, { down: false, certificates: 'true' });
  const findings = createFindings(null, ['entries', 'statuses'], 1_000);
  await withBooks(pool, (books) => checkBooks(books, findings));
  expect(findings.lines().flatMap(({ differences }) => differences.map(({ message }) => message))).toEqual([]);
});

async function begin() {
  ({ pool } = await createTestDatabase());
  const chain = createIcrcChain(ICRC_NETWORK, { urls: [ic.url], rootKey: ic.rootKey, timeoutMs: 20_000 });
  const world = await createIcrcWorld(pool, { chain, merchant });
  const client = await openLedgerClient(ic, ledger.canisterId, alice);
  const pay = async (intentId: string, amount = DOLLAR) =>
    client.transfer({
      to: { owner: shop.getPrincipal(), subaccount: [] },
      amount,
      memo: memoOfIntent(await world.codeOf(intentId)),
    });
  return { ...world, pay };
}

test('a transfer is found without a word of anybody, once', async () => {
  const run = await begin();
  const intentId = await run.intent();
  const index = await run.pay(intentId);
  for (let reads = 0; reads < 2; reads += 1) await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([
    { status: 'completed', paid: '1000000', payer, transaction: `${LEDGER}:${index}` },
  ]);
});

test('a notified transfer counts at once, in an archive too, and a lie changes nothing', async () => {
  const run = await begin();
  const [intentId, other] = [await run.intent(), await run.intent()];
  const index = await run.pay(intentId);
  for (let more = 0; more < 8; more += 1) await ledger.mint({ owner: alice.getPrincipal(), subaccount: [] }, 1n);
  expect(await run.notify(other, index)).toBe('other_memo');
  expect(await run.notify(other, index + 100n)).toBe('block_not_found');
  expect(await run.notify(intentId, 0n)).toBe('not_a_transfer');
  expect(await run.notify(intentId, index)).toBe('applied');
  expect([await run.intentOf(intentId), await run.intentOf(other)]).toEqual(['completed', 'requires_payment']);
  await run.read();
  expect(await run.paymentsOf(intentId)).toHaveLength(1);
});

test('while no certified answer comes nothing counts, and afterwards everything does', async () => {
  const run = await begin();
  await run.read();
  const intentId = await run.intent();
  const index = await run.pay(intentId, DOLLAR / 2n);
  await run.pay(intentId, DOLLAR / 2n + 1n);
  for (const faults of [{ certificates: 'forged' }, { certificates: 'foreign' }, { down: true }]) {
    Object.assign(ic.faults, faults);
    await run.read();
    await expect(run.notify(intentId, index)).rejects.toThrow('no node gave a certified answer');
    expect(await run.intentOf(intentId)).toBe('requires_payment');
  }
  Object.assign(ic.faults, { down: false, certificates: 'true' });
  await run.read();
  expect(await run.paymentsOf(intentId)).toMatchObject([
    { status: 'mismatched', paid: '500000' },
    { status: 'completed', paid: '500001', total: '1000001', due: '1' },
  ]);
});
