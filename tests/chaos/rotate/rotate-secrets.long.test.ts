import { randomBytes } from 'node:crypto';
import { sealingKeyOf } from '@svc-pay/core';
import { openChain, paymentProcessorAbi, retireRelayer } from '@svc-pay/evm';
import { type Address, keccak256, toHex } from 'viem';
import { expect, test } from 'vitest';
import { MASTER_KEY, PEPPER } from '../../e2e/open-shop.ts';
import { payerOf, post } from '../../e2e/wallet.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { startLoad } from '../upgrade/load.ts';
import { type Process, processesOf, startRotateWorld } from './rotate-world.ts';

const PAYERS = 3;
const PAID_PER_STAGE = 4;
const STAGE_MS = 40_000;

test('each secret is replaced while payers pay: no answer fails, and the old secret is worth nothing afterwards', async () => {
  const world = await startRotateWorld();
  const { chain, shop, database, secrets, identity, apiUrls, settlementUrls, oldRelayer, nextRelayer, svc } = world;
  const keys = await Promise.all(Array.from({ length: PAYERS }, () => chain.newKey()));
  for (const { account } of keys) await chain.mint(chain.tokens.usdc, account.address, 10_000_000_000n);
  const [apiUrl = ''] = apiUrls;
  const payers = keys.map(({ account }) => payerOf(account));
  const load = startLoad(shop, payers, apiUrl);
  load.serve(apiUrls);
  const pauses: Record<string, number> = {};
  const stage = async (name: string) => {
    const before = load.paid();
    const went = await waitUntil(async () => load.paid() >= before + PAID_PER_STAGE, STAGE_MS);
    pauses[name] = load.longestPauseMs();
    expect({ name, went, failures: load.failures }).toEqual({ name, went: true, failures: [] });
  };
  /** One after the other, as behind a balancer. In the middle half of the processes have other secrets. */
  const roll = async (name: string, processes: readonly Process[]) => {
    for (const [index, which] of processes.entries()) {
      if (which.service === 'api') load.serve(apiUrls.filter((_, seat) => seat !== which.seat));
      await world.restart(which);
      load.serve(apiUrls);
      if (index + 1 === processes.length / 2) await stage(`${name}, half of them`);
    }
    await stage(name);
  };
  await stage('before');

  const [oldKey, nextKey] = [secrets.SVC_INTERNAL_KEY, randomBytes(24).toString('hex')];
  secrets.SVC_INTERNAL_KEYS = `${nextKey},${oldKey}`;
  await roll('settlement takes both internal keys', processesOf('settlement'));
  secrets.SVC_INTERNAL_KEY = nextKey;
  await roll('the API shows the new internal key', processesOf('api'));
  secrets.SVC_INTERNAL_KEYS = nextKey;
  await roll('settlement takes the new internal key alone', processesOf('settlement'));
  const lanes = async (key: string) =>
    Promise.all(
      settlementUrls.map(async (url) => {
        const { status } = await fetch(`${url}/lanes`, { headers: { authorization: `Bearer ${key}` } });
        return status;
      }),
    );
  expect([await lanes(oldKey), await lanes(nextKey)]).toEqual([
    [401, 401],
    [200, 200],
  ]);

  const created = await post(`${apiUrl}/sdk/public/payments/intents/x402`, shop.secretKey, {
    usdAmount: '1.5',
    tokenShortcode: 'anvil_usdc',
  });
  const link = (await created.json()) as { paymentIntentId: string; clientSecret: string };
  const openLink = () =>
    Promise.all(
      apiUrls.map(async (url) => {
        const query = `client_secret=${encodeURIComponent(link.clientSecret)}`;
        return (await fetch(`${url}/pay/${link.paymentIntentId}?${query}`)).status;
      }),
    );
  expect(await openLink()).toEqual([402, 402]);
  const [oldPepper, nextPepper] = [`1:${PEPPER.toString('base64')}`, `2:${randomBytes(32).toString('base64')}`];
  secrets.SVC_KEY_PEPPER = `${oldPepper},${nextPepper}`;
  await roll('the API finds by both peppers', processesOf('api'));
  secrets.SVC_KEY_PEPPER = `${nextPepper},${oldPepper}`;
  await roll('the API hashes with the new pepper', processesOf('api'));
  expect(await svc('keys', 'rehash')).toMatchObject({ left: 0, operators: [] });
  expect(await svc('keys', 'rehash')).toMatchObject({ rehashed: 0, left: 0 });
  await stage('keys are hashed anew');
  expect(await openLink()).toEqual([402, 402]);
  secrets.SVC_KEY_PEPPER = nextPepper;
  await roll('the API has the new pepper alone', processesOf('api'));
  expect(await openLink()).toEqual([404, 404]);

  const nextMaster = { number: 2, bytes: randomBytes(32) };
  const [oldText, nextText] = [
    `1:${MASTER_KEY.toString('base64')}`,
    `2:${Buffer.from(nextMaster.bytes).toString('base64')}`,
  ];
  secrets.SVC_MASTER_KEYS = `${oldText},${nextText}`;
  await roll('webhooks opens with both master keys', processesOf('webhooks'));
  secrets.SVC_MASTER_KEYS = `${nextText},${oldText}`;
  secrets.SVC_SEAL_KEY = `2:${Buffer.from(sealingKeyOf(nextMaster).bytes).toString('base64')}`;
  await roll('the API seals with the new master key', processesOf('api', 'webhooks'));
  expect(await svc('keys', 'reseal')).toMatchObject({ left: [] });
  await stage('secrets are sealed anew');
  secrets.SVC_MASTER_KEYS = nextText;
  await roll('webhooks has the new master key alone', processesOf('webhooks'));
  expect(await svc('keys', 'reseal', '--check')).toMatchObject({ masterKey: 2, left: [] });

  secrets.SVC_ENGINE_IDENTITY_KEYS = `${identity.next.publicKey},${identity.old.publicKey}`;
  await roll('both identities of the engine are accepted', processesOf('settlement', 'webhooks'));
  await world.restartEngine(identity.next);
  await stage('the engine signs with the new key');
  secrets.SVC_ENGINE_IDENTITY_KEYS = identity.next.publicKey;
  await roll('the new identity alone is accepted', processesOf('settlement', 'webhooks'));

  secrets.SVC_RELAYER_TEST_KEYS = `${oldRelayer.privateKey},${nextRelayer.privateKey}`;
  await roll('the new relayer joins', processesOf('settlement'));
  const oldAddress = oldRelayer.account.address.toLowerCase();
  const of = [oldAddress, '--network', chain.network];
  await svc('relayers', 'drain', ...of);
  await stage('the old relayer drains');
  const retired = await waitUntil(async () => {
    const outcome = await svc('relayers', 'retire', ...of).catch(() => undefined);
    return outcome !== undefined;
  }, STAGE_MS);
  expect(retired).toBe(true);
  secrets.SVC_RELAYER_TEST_KEYS = nextRelayer.privateKey;
  const sentBefore = await batchesOf(oldAddress);
  await roll('the old relayer is gone', processesOf('settlement'));
  expect(await batchesOf(oldAddress)).toBe(sentBefore);
  async function batchesOf(address: string): Promise<number> {
    const { rows } = await database.pool.query(
      'select count(*)::integer as count from svc.batches where lower(relayer) = $1',
      [address],
    );
    return rows[0].count;
  }

  await load.stop();
  console.log(JSON.stringify({ paid: load.paid(), longestPauseMs: pauses }));
  expect(load.failures).toEqual([]);
  const isQuiet = async () => {
    const { rows } = await database.pool.query(`select from svc.deliveries where status = 'pending' limit 1`);
    return rows.length === 0;
  };
  expect(await waitUntil(isQuiet, 30_000)).toBe(true);
  const { rows } = await database.pool.query(
    `select (select count(*)::integer from svc.payments where status = 'completed') as completed,
       (select count(*)::integer from svc.payments where status <> 'completed') as others,
       (select sum(paid_amount)::text from svc.payments) as paid,
       (select count(*)::integer from svc.events where type = 'payment.completed') as told,
       (select count(*)::integer from svc.deliveries where status <> 'succeeded') as undelivered`,
  );
  expect(rows[0]).toEqual({
    completed: load.paid(),
    others: 0,
    paid: load.settledAtomic().toString(),
    told: load.paid(),
    undelivered: 0,
  });
  await expect(svc('ledger', 'check')).resolves.toBeDefined();

  // Last, because the check above counts every transaction of the key.
  const itself = await openChain({ rpcUrl: chain.rpcUrl, account: oldRelayer.account });
  expect(await retireRelayer(itself, chain.record.processor)).toMatchObject({ ok: true });
  const role = keccak256(toHex('OPERATOR_ROLE'));
  const holds = (address: Address) =>
    itself.readContract({
      abi: paymentProcessorAbi,
      address: chain.record.processor,
      functionName: 'hasRole',
      args: [role, address],
    });
  expect([await holds(oldRelayer.account.address), await holds(nextRelayer.account.address)]).toEqual([false, true]);
}, 600_000);
