import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Payout } from '@svc-pay/core';
import { addressOfKey } from '@svc-pay/evm';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const { url, pool } = await createTestDatabase();
const key = (byte: string) => `0x${byte.repeat(32)}` as const;
const [WALLET, NEXT, OPERATOR, STRANGER] = [key('11'), key('22'), key('33'), key('44')];
const environment = { ...svcEnvironment(url), SVC_PAYOUT_APPROVERS: privateKeyToAccount(OPERATOR).address };
const folder = mkdtempSync(path.join(tmpdir(), 'svc-activate-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (privateKey: string) => {
  const file = path.join(folder, privateKey.slice(2, 10));
  writeFileSync(file, `${privateKey}\n`);
  return file;
};

const newAccount = async () => {
  const { document } = await askSvc(environment, 'accounts', 'create', '--name', 'A shop');
  return (document as { account: { id: string } }).account.id;
};
const words = (text: string) => text.split(' ');
const optionsOf = (account: string, wallet: `0x${string}` = WALLET) =>
  words(
    `--account ${account} --mode test --network eip155:84532 --asset basesepolia_usdc --wallet ${addressOfKey(wallet)} --use exclusive`,
  );
type Answer = { readonly exitCode: number; readonly document: { payout: Payout; change: string; error: string } };
const activate = async (options: readonly string[], ...more: string[]): Promise<Answer> =>
  (await askSvc(environment, 'payouts', 'activate', ...options, ...more)) as Answer;
const keys = (wallet: string, approver: string) =>
  words(`--wallet-key-file ${fileOf(wallet)} --approver-key-file ${fileOf(approver)}`);

test('the message is printed, signed elsewhere, and activates; nothing else does', async () => {
  const options = optionsOf(await newAccount());
  const { document } = await askSvc(environment, 'payouts', 'activate', ...options);
  type ToSign = {
    number: string;
    signedAt: string;
    toSign: Parameters<ReturnType<typeof privateKeyToAccount>['signTypedData']>[0];
  };
  const { toSign, number, signedAt } = document as ToSign;
  const sign = (privateKey: `0x${string}`) => privateKeyToAccount(privateKey).signTypedData(toSign);
  const given = ['--number', number, '--signed-at', signedAt, '--wallet-signature', await sign(WALLET)];
  const approvedBy = async (privateKey: `0x${string}`, approver = privateKey) =>
    words(`--approver ${addressOfKey(approver)} --approver-signature ${await sign(privateKey)}`);
  const refusals = [
    [await approvedBy(STRANGER), 'activation_unapproved'],
    [await approvedBy(STRANGER, OPERATOR), 'activation_signature_invalid'],
    [[...(await approvedBy(OPERATOR)), '--use', 'shared'], 'activation_signature_invalid'],
    [[...(await approvedBy(OPERATOR)), '--number', '900'], 'activation_signature_invalid'],
  ] as const;
  for (const [approval, error] of refusals)
    expect(await activate(options, ...given, ...approval)).toMatchObject({ exitCode: 1, document: { error } });
  expect(await activate(options, ...given)).toMatchObject({ exitCode: 64 });

  const good = await activate(options, ...given, ...(await approvedBy(OPERATOR)));
  expect(good).toMatchObject({
    exitCode: 0,
    document: { change: 'created', payout: { direct: { use: 'exclusive' } } },
  });
  const { rows } = await pool.query("select count(*)::integer as count from svc.payouts where kind = 'direct'");
  expect(rows).toEqual([{ count: 1 }]);
});

test('the replaced wallet approves the next one, which waits for its time and can be ended', async () => {
  const account = await newAccount();
  const wallet = key('51');
  await activate(optionsOf(account, wallet), ...keys(wallet, OPERATOR));
  const next = await activate(optionsOf(account, NEXT), ...keys(NEXT, wallet));
  expect(next).toMatchObject({ exitCode: 0, document: { change: 'created' } });
  const { payout } = next.document;
  const waitsMs = new Date(payout.direct?.activeFrom ?? 0).getTime() - Date.now();
  expect(Math.round(waitsMs / 3_600_000)).toBe(24);
  const again = await activate(optionsOf(account, key('52')), ...keys(key('52'), OPERATOR));
  expect(again).toMatchObject({ exitCode: 1, document: { error: 'activation_change_pending' } });

  const listed = await callSvc(environment, 'payouts', 'list', '--account', account);
  expect(listed.stdout).toMatch(/direct exclusive/);
  const disable = [
    'payouts',
    'disable',
    '--account',
    account,
    '--network',
    'eip155:84532',
    '--payout-id',
    payout.payoutId,
  ];
  expect(await askSvc(environment, ...disable)).toMatchObject({ exitCode: 0, document: { change: 'status' } });
  expect(await askSvc(environment, ...disable)).toMatchObject({ exitCode: 0, document: { change: 'none' } });
});

test('after eight changes that only replaced wallets approved, the ninth says that an operator must', async () => {
  const account = await newAccount();
  const at = (step: number) => key(`7${step.toString(16)}`);
  const env = { ...environment, SVC_PAYOUT_DELAY_HOURS: '0' };
  const change = (step: number, approver: string) =>
    askSvc(env, 'payouts', 'activate', ...optionsOf(account, at(step)), ...keys(at(step), approver));
  for (let step = 0; step <= 8; step += 1)
    expect(await change(step, step === 0 ? OPERATOR : at(step - 1))).toMatchObject({ exitCode: 0 });
  expect(await change(9, at(8))).toMatchObject({ exitCode: 1, document: { error: 'activation_needs_operator' } });
  expect(await change(9, OPERATOR)).toMatchObject({ exitCode: 0 });
});

test.each([
  ['the wallet', '--wallet-key-file', ['--wallet-signature', '0x12']],
  ['the approver', '--approver-key-file', ['--approver-signature', '0x12']],
])('a key file beside a signature of %s is refused with the way out', async (_, option, more) => {
  const options = [...optionsOf(await newAccount()), ...keys(WALLET, OPERATOR), ...more];
  const { exitCode, stderr } = await callSvc(environment, 'payouts', 'activate', ...options);
  expect(exitCode).toBe(64);
  expect(stderr).toContain(option);
  expect(stderr).toContain('leave the key file out');
});

test.each([
  ['a use that is none', ['--use', 'some']],
  ['a token whose logs prove nothing', ['--asset', 'basesepolia_none']],
  ['the token itself as wallet', ['--wallet', '0x036CbD53842c5426634e7929541eC2318f3dCF7e']],
  ['a network of the other mode', ['--network', 'eip155:8453']],
  ['a number that is none', ['--number', 'x']],
])('%s is called wrongly', async (_, more) => {
  expect(await activate(optionsOf('acct_x'), ...more)).toMatchObject({ exitCode: 64 });
});

test('a wallet’s use has no default, and key files are for test mode', async () => {
  const [, , ...rest] = optionsOf('acct_x').toReversed();
  expect(await activate(rest.toReversed())).toMatchObject({ exitCode: 64 });
  const live = ['--mode', 'live', '--network', 'eip155:8453', '--asset', 'base_usdc'];
  expect(await activate([...optionsOf('acct_x'), ...live], ...keys(WALLET, OPERATOR))).toMatchObject({ exitCode: 64 });
});

test('without approvers in the settings nothing is activated', async () => {
  const { SVC_PAYOUT_APPROVERS: _, ...without } = environment;
  const options = optionsOf(await newAccount(), key('61'));
  const refused = await askSvc(without, 'payouts', 'activate', ...options, ...keys(key('61'), OPERATOR));
  expect(refused).toMatchObject({ exitCode: 1, document: { error: 'activation_unapproved' } });
});
