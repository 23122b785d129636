// Commands that look after a token ledger, against local Internet Computers with real certificates, and real Postgres.
import { accountText } from '@svc-pay/core';
import { type LocalLedgerOptions, startLocalInternetComputer } from '@svc-pay/icp/local';
import { ICRC_NETWORK } from '@svc-pay/postgres/testing';
import { afterAll, afterEach, expect, test } from 'vitest';
import { checkTokenLedgers } from '../doctor/check-token-ledgers.ts';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { type IcpBooks, LEDGER, PAYER, SHOP, startIcpMachine } from '../testing/icp-books.ts';

const [{ ic, ledger, books }, anew] = [await startIcpMachine(), await startIcpMachine()];
afterAll(() => Promise.all([ic.stop(), anew.ic.stop()]));
afterEach(() => {
  for (const { faults } of [ic, anew.ic]) Object.assign(faults, { down: false, certificates: 'true' });
});

type Environment = IcpBooks['environment'];
type Ledgers = { readonly ledgers: readonly { readonly nextIndex: string | null }[] };

const listed = async (environment: Environment) =>
  ((await askSvc(environment, 'token-ledgers', 'list')).document as Ledgers).ledgers;
const reset = (environment: Environment, nextIndex: number) =>
  askSvc(
    environment,
    'token-ledgers',
    'reset',
    ICRC_NETWORK,
    LEDGER,
    '--next-index',
    `${nextIndex}`,
    '--reason',
    'anew',
  );
const refusedAs = (error: string) => ({ exitCode: 1, document: { error } });

test('a token ledger is listed with how far it is read, and one that is configured and was never read too', async () => {
  const run = await books();
  expect(await listed(run.environment)).toMatchObject([
    { network: ICRC_NETWORK, ledger: LEDGER, token: 'iclocal_ckusdc', nextIndex: null, state: 'never read' },
  ]);
  await run.read();
  const [shown] = await listed(run.environment);
  expect(shown).toMatchObject({ readAt: expect.any(String), stoppedAt: null, waiting: 0, state: 'read' });
  expect(shown?.nextIndex).toMatch(/^\d+$/);
  await run.pool.query('update svc.icrc_cursors set stopped_at = now()');
  expect((await callSvc(run.environment, 'token-ledgers', 'list')).stdout).toMatch(
    /stopped since \S+: its blocks do not continue what was read/,
  );
});

test('a token ledger is reset when it was installed anew, and not while it is the same, silent or too short', async () => {
  const run = await books();
  await run.pay(await run.intent());
  await run.read();
  const [before] = await listed(run.environment);
  const next = Number(before?.nextIndex);
  expect(await reset(run.environment, next)).toMatchObject(refusedAs('ledger_continues'));
  const other = run.environmentOf(anew.ic);
  expect(await reset(other, next + 1)).toMatchObject(refusedAs('cursor_moved'));
  for (const faults of [{ down: true }, { down: false, certificates: 'forged' }]) {
    Object.assign(anew.ic.faults, faults);
    expect(await reset(other, next)).toMatchObject(refusedAs('chain_unreadable'));
  }
  anew.ic.faults.certificates = 'true';
  expect(await reset(other, next)).toMatchObject(refusedAs('ledger_too_short'));
  expect(await listed(other)).toMatchObject([{ nextIndex: `${next}` }]);
  const somebody = { owner: anew.ledger.canisterId, subaccount: [] as [] };
  for (let blocks = 2; blocks < next; blocks += 1) await anew.ledger.mint(somebody, 1n);
  expect(await reset(other, next)).toMatchObject({ exitCode: 0, document: { countedBlocks: 1 } });
  expect(await listed(other)).toMatchObject([{ state: 'never read' }]);
  const { rows } = await run.pool.query(`select actor, target from svc.audit where action = 'token_ledger.reset'`);
  expect(rows).toEqual([{ actor: 'operator:ada', target: `${ICRC_NETWORK}/${LEDGER}` }]);
});

const rootKeyText = (rootKey: Uint8Array) => Buffer.from(rootKey).toString('hex');

test('the doctor asks every boundary node, and judges the ledger by what is certified alone', async () => {
  const check = async (rpcUrls: string[], rootKey: Uint8Array = ic.rootKey) => {
    const setup = { rpcUrls, rootKey: rootKeyText(rootKey) };
    return (await checkTokenLedgers(ICRC_NETWORK, setup)).map(({ status, subject }) => `${status} ${subject}`);
  };
  const silent = 'http://127.0.0.1:9';
  expect(await check([silent, ic.url])).toEqual([`problem icp:local`, 'ok icp:local', 'ok iclocal_ckusdc']);
  expect(await check([ic.url], anew.ic.rootKey)).toEqual(['problem icp:local']);
  ic.faults.certificates = 'forged';
  expect(await check([ic.url])).toEqual(['problem icp:local']);
});

test.each<[string, LocalLedgerOptions, string]>([
  ['other decimals', { decimals: 8 }, 'problem iclocal_ckusdc'],
  ['another fee', { fee: 1n }, 'warning iclocal_ckusdc'],
])('the doctor finds a ledger with %s', async (_, options, finding) => {
  const odd = await startLocalInternetComputer();
  try {
    await odd.installLedger({ canisterId: LEDGER, ...options });
    const setup = { rpcUrls: [odd.url], rootKey: rootKeyText(odd.rootKey) };
    const found = (await checkTokenLedgers(ICRC_NETWORK, setup)).map(({ status, subject }) => `${status} ${subject}`);
    expect(found).toEqual(['ok icp:local', finding]);
  } finally {
    await odd.stop();
  }
});

test('a payout is set where the ledger says that it does not mint there, and ends at once', async () => {
  const run = await books();
  const set = (merchant: string) => {
    const words = `payouts set --account ${run.accountId} --mode test --network ${ICRC_NETWORK} --fee-bps 0 --merchant`;
    return askSvc(run.environment, ...words.split(' '), merchant);
  };
  const minter = accountText(ledger.mintingAccount.owner.toUint8Array(), null);
  expect(await set(minter)).toMatchObject({ exitCode: 64, document: { message: expect.stringContaining('burned') } });
  ic.faults.down = true;
  expect(await set(SHOP)).toMatchObject({
    exitCode: 64,
    document: { message: expect.stringContaining('no boundary') },
  });
  ic.faults.down = false;
  const made = await set(SHOP);
  expect(made).toMatchObject({ exitCode: 0, document: { payout: { merchant: SHOP, status: 'active' } } });
  const intentId = await run.intent();
  const { rows } = await run.pool.query<{ payout_id: string }>(
    `select payout_id from svc.payouts where network = $1 and status = 'active'`,
    [ICRC_NETWORK],
  );
  for (const { payout_id: payoutId } of rows) {
    const words = `payouts disable --account ${run.accountId} --network ${ICRC_NETWORK} --payout-id ${payoutId}`;
    expect(await askSvc(run.environment, ...words.split(' '))).toMatchObject({
      exitCode: 0,
      document: { payout: { status: 'disabled' } },
    });
  }
  const index = await run.pay(intentId);
  await run.read();
  expect(await run.intentOf(intentId)).toBe('requires_payment');
  const receipts = await run.pool.query('select reason from svc.log_proofs where transaction_id = $1', [
    `${LEDGER}:${index}`,
  ]);
  expect(receipts.rows).toEqual([{ reason: 'payout_withdrawn' }]);
});

test('money of a principal that is denied counts as any other: it has moved', async () => {
  const run = await books();
  const intentId = await run.intent();
  await run.read();
  const denied = await askSvc(run.environment, 'deny', 'add', PAYER, '--reason', 'refused');
  expect(denied).toMatchObject({ exitCode: 0, document: { kind: 'payer', value: PAYER } });
  expect(await run.notify(intentId, await run.pay(intentId))).toBe('applied');
  expect(await run.intentOf(intentId)).toBe('completed');
});
