import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DIRECT_BATCH_ADDRESS, paymentProcessorAbi, retirePayout, sealKeystore } from '@svc-pay/evm';
import { planWorld, startAnvil } from '@svc-pay/evm/testing';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { createTestClient, http, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { askSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-contracts-'));
const anvil = await startAnvil();
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true });
});
const { url } = await createTestDatabase();
const environment = { ...svcEnvironment(url), SVC_RPC_URL: anvil.rpcUrl };
const svc = (...argv: string[]) => askSvc(environment, ...argv);
const MERCHANT = `0x${'6e'.repeat(20)}`;

// Throw-away keys of a chain that lives only for this test.
const keyFile = (name: string, key: string) => {
  const file = path.join(folder, name);
  writeFileSync(file, key, { mode: 0o600 });
  return file;
};
const roles = await Promise.all(
  (['council', 'registrar', 'guardian'] as const).map(async (role) => {
    const { privateKey, chain } = await anvil.newKey();
    return [role, { file: keyFile(`${role}.key`, privateKey), chain }] as const;
  }),
);
const { council, registrar, guardian } = Object.fromEntries(roles) as Record<
  'council' | 'registrar' | 'guardian',
  (typeof roles)[number][1]
>;
const world = await planWorld(anvil);
const planFile = path.join(folder, 'plan.json');
const chainArguments = ['--records', folder];
let processor: `0x${string}`;

beforeAll(async () => {
  const plan = {
    ...world.plan,
    council: [council.chain.account.address],
    registrar: registrar.chain.account.address,
    guardian: guardian.chain.account.address,
  };
  writeFileSync(
    planFile,
    JSON.stringify(plan, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
  const keyed = ['--plan', planFile, '--key-file', council.file];
  const deployed = await svc('contracts', 'deploy', ...chainArguments, ...keyed, '--ceremony');
  expect(deployed).toMatchObject({
    exitCode: 0,
    document: { record: { processorVersion: '1.3.0', network: 'eip155:31337' } },
  });
  ({ processor } = (deployed.document as { record: { processor: `0x${string}` } }).record);
});

test('a deployment verifies against its plan, and not against another', async () => {
  expect(await svc('contracts', 'verify', ...chainArguments, '--plan', planFile)).toMatchObject({
    exitCode: 0,
    document: { problems: [] },
  });
  const other = path.join(folder, 'other.json');
  writeFileSync(other, JSON.stringify({ ...world.plan, tokens: [] }));
  expect(await svc('contracts', 'verify', ...chainArguments, '--plan', other)).toMatchObject({ exitCode: 1 });
});

test('DirectBatch is missing, then deployed by any key, then found', async () => {
  expect(await svc('contracts', 'verify-direct')).toMatchObject({ exitCode: 1 });
  const deploy = ['contracts', 'deploy-direct', '--key-file', registrar.file];
  const deployed = await svc(...deploy);
  expect(deployed).toMatchObject({ exitCode: 0, document: { address: DIRECT_BATCH_ADDRESS } });
  expect((deployed.document as { transactionHash: string | null }).transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await svc(...deploy)).toMatchObject({ exitCode: 0, document: { transactionHash: null } });
  expect(await svc('contracts', 'verify-direct')).toMatchObject({ exitCode: 0, document: { problems: [] } });
});

describe('a payout', () => {
  const setPayout = async (account: string, ...more: string[]) => {
    const terms = `--account ${account} --mode test --network eip155:31337 --merchant ${MERCHANT} --fee-bps 100`;
    return svc('payouts', 'set', ...terms.split(' '), '--processor', processor, ...more);
  };
  const onChain = (payoutId: string) =>
    registrar.chain.readContract({
      abi: paymentProcessorAbi,
      address: processor,
      functionName: 'payout',
      args: [BigInt(payoutId)],
    });
  const newAccount = async () =>
    ((await svc('accounts', 'create', '--name', 'A shop')).document as { account: { id: string } }).account.id;
  const statusOf = async (account: string) =>
    ((await svc('payouts', 'list', '--account', account)).document as { payouts: { status: string }[] }).payouts.map(
      ({ status }) => status,
    );

  test('set with a registrar is a row and a transaction; again it is neither', async () => {
    const account = await newAccount();
    const registrarArguments = ['--key-file', registrar.file];
    const set = await setPayout(account, ...registrarArguments);
    expect(set).toMatchObject({ exitCode: 0, document: { payout: { status: 'active' } } });
    const { payout, transactionHash } = set.document as { payout: { payoutId: string }; transactionHash: string };
    expect(transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
    const [head] = await onChain(payout.payoutId);
    expect(head).toMatchObject({ feeBps: 100, offAt: 0n });
    expect(head.merchant.toLowerCase()).toBe(MERCHANT);
    expect(await setPayout(account, ...registrarArguments)).toMatchObject({
      exitCode: 0,
      document: { change: 'none', transactionHash: null, payout: { payoutId: payout.payoutId, status: 'active' } },
    });
  });

  test('refused by the chain stays pending, and is not offered', async () => {
    const account = await newAccount();
    const refused = await setPayout(account, '--key-file', guardian.file);
    expect(refused).toMatchObject({ exitCode: 1, document: { error: 'reverted' } });
    expect(await statusOf(account)).toEqual(['pending']);
  });

  test('is mirrored from the registry: switched on when it is there, off when it is retired', async () => {
    const account = await newAccount();
    const set = await setPayout(account, '--key-file', guardian.file, '--payout-id', '77');
    expect(set.exitCode).toBe(1);
    const registered = await setPayout(account, '--key-file', registrar.file, '--payout-id', '77');
    expect(registered.exitCode).toBe(0);
    expect(await statusOf(account)).toEqual(['active']);
    await retirePayout(registrar.chain, processor, 77n);
    // On Anvil a block is final with 64 blocks on top of it.
    for (let blocks = 0; blocks < 66; blocks += 1) await anvil.advance(1);
    const synced = await svc('payouts', 'sync', ...chainArguments, '--from-block', '0');
    expect(synced).toMatchObject({ exitCode: 0 });
    expect(await statusOf(account)).toEqual(['disabled']);
    expect(await setPayout(account, '--payout-id', '77', '--status', 'active')).toMatchObject({
      exitCode: 1,
      document: { error: 'payout_disabled' },
    });
    // The second sync reads the registration again as well, and must not change the status.
    await svc('payouts', 'sync', ...chainArguments, '--from-block', '0');
    expect(await statusOf(account)).toEqual(['disabled']);
  });
});

test('a relayer’s keystore gives up its role without the council; what was sent is named until it is mined', async () => {
  const { relayer, relayerKey } = world;
  const password = keyFile('password', 'of the keystore\n');
  const keystore = keyFile(
    'relayer.json',
    await sealKeystore(Buffer.from(relayerKey.slice(2), 'hex'), 'of the keystore'),
  );
  const holds = () =>
    guardian.chain.readContract({
      abi: paymentProcessorAbi,
      address: processor,
      functionName: 'hasRole',
      args: [keccak256(toHex('OPERATOR_ROLE')), relayer.account.address],
    });
  expect(await holds()).toBe(true);
  const retire = (...argv: string[]) => svc('contracts', 'retire-relayer', ...chainArguments, ...argv);
  expect(await retire()).toMatchObject({ exitCode: 64 });
  expect(await retire('--keystore', planFile)).toMatchObject({ exitCode: 64 });
  expect(await retire('--key-file', guardian.file)).toMatchObject({ document: { error: 'relayer_has_no_role' } });
  // Opening a keystore takes seconds.
  const keyed = ['--key-file', keyFile('relayer.key', relayerKey)];

  // A thief's transaction has the nonce, at a higher fee than the first offer, and nothing is mined.
  const node = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  await node.setAutomine(false);
  const { maxFeePerGas, maxPriorityFeePerGas } = await relayer.estimateFeesPerGas();
  const thief = { maxFeePerGas: maxFeePerGas * 4n, maxPriorityFeePerGas: maxPriorityFeePerGas * 4n };
  await relayer.sendTransaction({ to: relayer.account.address, ...thief });
  const hashOf = ({ document }: { document: unknown }) => (document as { transactionHash: string }).transactionHash;
  const first = await retire(...keyed, '--wait', '0');
  expect(first).toMatchObject({ exitCode: 1, document: { error: 'pending' } });
  // The second run meets the transaction of the first one. Its node fails as soon as it has the transaction.
  const failing = await failAfterSend(anvil.rpcUrl);
  const again = ['contracts', 'retire-relayer', ...chainArguments, ...keyed, '--wait', '1'];
  const second = await askSvc({ ...environment, SVC_RPC_URL: failing }, ...again);
  expect(second).toMatchObject({ exitCode: 1, document: { error: 'pending' } });
  expect(new Set([hashOf(first), hashOf(second)]).size).toBe(2);
  for (const sent of [first, second]) expect(hashOf(sent)).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await holds()).toBe(true);

  await node.setAutomine(true);
  expect(await retire('--keystore', keystore, '--password-file', password)).toMatchObject({ exitCode: 0 });
  expect(await holds()).toBe(false);
  expect(await retire(...keyed)).toMatchObject({ document: { error: 'relayer_has_no_role' } });
});

/** URL of a node that passes calls on until a transaction was taken, and answers 503 from then on. */
async function failAfterSend(rpcUrl: string): Promise<string> {
  let sent = false;
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (sent) return response.writeHead(503).end();
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const answered = await answer.text();
    sent = body.includes('eth_sendRawTransaction') && !answered.includes('"error"');
    return response.writeHead(200, { 'content-type': 'application/json' }).end(answered);
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('the guardian’s key pauses, another one does not', async () => {
  expect(await svc('contracts', 'pause', ...chainArguments, '--key-file', registrar.file)).toMatchObject({
    exitCode: 1,
  });
  expect(await svc('contracts', 'pause', ...chainArguments, '--key-file', guardian.file)).toMatchObject({
    exitCode: 0,
  });
  expect(
    await guardian.chain.readContract({ abi: paymentProcessorAbi, address: processor, functionName: 'paused' }),
  ).toBe(true);
});

test.each([
  ['a node that does not answer', 'http://127.0.0.1:9', ['--key-file', guardian.file], 1],
  ['a key file that is none', anvil.rpcUrl, ['--key-file', planFile], 64],
  ['no record of this chain', anvil.rpcUrl, ['--key-file', guardian.file, '--records', tmpdir()], 1],
])('%s is said in words', async (_, rpcUrl, options, exitCode) => {
  const said = await askSvc({ ...environment, SVC_RPC_URL: rpcUrl }, 'contracts', 'pause', ...options);
  expect(said.exitCode).toBe(exitCode);
  expect(JSON.stringify(said.document)).not.toContain(rpcUrl);
});
