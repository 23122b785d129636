// The deployment that `svc init` writes, brought up from the image with podman and docker-compose: first payments through
// Caddy over TLS, an upgrade under load, and down. It needs root, and a Debian root that is made once from Debian's mirror.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { addressHash, dayOf } from '@svc-pay/core';
import { type LocalChain, startChain } from '@svc-pay/evm/testing';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { debianRoot } from '../../tools/containers/debian-root.ts';
import { startPodman } from '../../tools/containers/podman-host.ts';
import { thirdPartyImages } from '../../tools/containers/third-party-images.ts';
import { startLoad } from '../chaos/upgrade/load.ts';
import { joinByLink } from '../e2e/join-by-link.ts';
import type { Shop } from '../e2e/open-shop.ts';
import { confirm, prepareUpto, settleUpto } from '../e2e/upto-calls.ts';
import { createIntent, type Payer, payerOf, post, prepare, settle, signHeader } from '../e2e/wallet.ts';
import { askConsoleAt } from './ask-console.ts';
import {
  CONSOLE_NAME,
  type Deployment,
  FOLDER,
  fillFolder,
  initFolder,
  openDeployment,
  runHealthChecks,
} from './compose-world.ts';
import { activateWallet, openMerchant } from './merchant.ts';
import { type MerchantServer, passOn, startMerchantServer } from './outside.ts';
import { releaseImages } from './release-images.ts';
import { upgradeBlock } from './upgrade-block.ts';

const scratch = mkdtempSync(path.join(tmpdir(), 'svc-compose-'));
const root = debianRoot();
const images = root.ok ? await releaseImages(scratch) : root;
const cleanUps: (() => unknown)[] = [() => rmSync(scratch, { recursive: true, force: true })];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
}, 60_000);

const PAYERS = 4;
const BUDGET_ATOMIC = 10_000_000_000n;
const SERVICES = ['api', 'api-2', 'settlement', 'settlement-2', 'webhooks', 'admin', 'console'];
const OTHERS = ['postgres', 'restate', 'caddy', 'prometheus', 'alertmanager'];

const named = images.ok ? 'docker compose' : `skipped: ${images.why}`;
describe.skipIf(!images.ok)(named, () => {
  let [deployment, chain, merchant, shop, directShop]: [Deployment, LocalChain, MerchantServer, Shop, Shop] =
    [] as never;
  const apiUrl = () => `https://${deployment.host.address}`;
  const door = (of: Shop = shop) => ({ apiUrl: apiUrl(), shop: of });
  const newPayer = async (): Promise<Payer> => {
    const { account } = await chain.newKey();
    await chain.mint(chain.tokens.usdc, account.address, BUDGET_ATOMIC);
    return payerOf(account);
  };
  const inside = (container: string, ...argv: string[]) =>
    deployment.host.run(['podman', 'exec', `svc-pay-${container}-1`, ...argv]);
  const node = (script: string) => ['node', '-e', script];
  const hashOf = (address: string) => {
    const pepper = readFileSync(deployment.file('secrets/key-pepper'), 'utf8').trim();
    return addressHash(Buffer.from(pepper, 'base64'), address, dayOf(Date.now()));
  };

  beforeAll(async () => {
    if (!root.ok || !images.ok) return;
    const imageStore = await thirdPartyImages(root.folder);
    const host = await startPodman(root.folder, { shared: [scratch], imageStore });
    cleanUps.push(host.stop);
    chain = await startChain({ blockTimeSeconds: 0.5, guard: killOnParentExit });
    cleanUps.push(() => chain.stop('SIGKILL'));
    for (const archive of images.archives) await host.must(['podman', 'load', '--input', archive]);
    deployment = openDeployment(host);
    const checking = new AbortController();
    const checks = runHealthChecks(deployment, checking.signal);
    cleanUps.push(() => {
      checking.abort();
      return checks;
    });
    const rpc = await passOn(host, chain.rpcUrl);
    merchant = await startMerchantServer(host);
    cleanUps.push(rpc.close, merchant.close);
    await initFolder(deployment, images.names[0]);
    await fillFolder(deployment, chain, rpc.url);
  }, 300_000);

  test('up: every container runs, and the doctor finds nothing wrong', { timeout: 300_000 }, async () => {
    const { compose, svc } = deployment;
    await compose('up', '-d', '--wait', 'postgres', 'restate');
    await expect.poll(() => answers(() => svc('migrate')), { timeout: 60_000, interval: 2_000 }).toBe('');
    // podman counts a container without a check as healthy when it runs.
    await compose('up', '-d', '--wait');
    const running = JSON.parse(`[${(await compose('ps', '--format', 'json')).trim().split('\n').join(',')}]`);
    const states = running
      .flat()
      .map(({ Service, State }: { Service: string; State: string }) => `${Service} ${State}`);
    expect(states.sort()).toEqual([...SERVICES, ...OTHERS].map((name) => `${name} running`).sort());
    shop = await openMerchant(deployment, chain, 'A shop');
    expect(await problemsOf(deployment)).toEqual([]);
    directShop = await openMerchant(deployment, chain, 'A shop with a wallet');
    const wallet = await activateWallet(deployment, chain, directShop);
    directShop = { ...directShop, merchant: wallet };
    writeFileSync(path.join(scratch, 'root.crt'), await compose('exec', '-T', 'caddy', 'cat', CADDY_ROOT));
  });

  test('a client that does not know the authority of Caddy is not connected', async () => {
    await expect(fetch(`${apiUrl()}/health`)).rejects.toThrow(/fetch failed/);
    tls.setDefaultCACertificates([readFileSync(path.join(scratch, 'root.crt'), 'utf8')]);
    expect((await fetch(`${apiUrl()}/health`)).status).toBe(200);
    expect((await fetch(`${apiUrl()}/ready`)).status).toBe(404);
  });

  test('exact, direct and up-to payments, and signed webhooks of them', async () => {
    for (const of of [shop, directShop]) {
      const body = { url: merchant.url, eventTypes: ['payment.completed'] };
      const made = await post(`${apiUrl()}/sdk/webhooks/endpoints`, of.secretKey, body);
      expect(made.status, await made.clone().text()).toBe(201);
    }
    merchant.expect([shop.secretKey, directShop.secretKey]);
    const payer = await newPayer();
    const exact = await prepare(door(), payer);
    expect(await settled(door(), exact)).toBe('succeeded');

    // The API keeps what it read of payouts for a while.
    const offered = async () => {
      const { paymentIntentId, accepts } = await createIntent(door(directShop));
      const acceptance = accepts.find(({ payTo }) => payTo.toLowerCase() === directShop.merchant);
      return acceptance === undefined ? undefined : { paymentIntentId, acceptance };
    };
    await expect.poll(offered, { timeout: 30_000, interval: 1_000 }).toBeDefined();
    const { paymentIntentId, acceptance } = (await offered()) as NonNullable<Awaited<ReturnType<typeof offered>>>;
    const paymentHeader = await signHeader(payer, acceptance, undefined, true);
    const direct = { paymentIntentId, paymentHeader, paymentRequirements: acceptance };
    expect(await settled(door(directShop), direct)).toBe('succeeded');
    expect(await chain.balanceOf(chain.tokens.usdc, directShop.merchant)).toBe(1_500_000n);

    const upto = await prepareUpto(door(), payer, { capAtomic: 3_000_000n });
    expect((await confirm(door(), upto)).httpStatus).toBe(200);
    const sent = { paymentIntentId: upto.paymentIntentId, settledAmount: '1234567' };
    const uptoStatus = async () => (await settleUpto(door(), sent)).body.status;
    await expect.poll(uptoStatus, { timeout: 30_000 }).toBe('succeeded');
    const spent = BUDGET_ATOMIC - (await chain.balanceOf(chain.tokens.usdc, payer.address));
    expect(spent).toBe(1_500_000n * 2n + 1_234_567n);

    const paid = [exact, direct, upto].map((call) => call.paymentIntentId).sort();
    const heard = () => merchant.accepted.map((each) => each.paymentIntentId).sort();
    await expect.poll(heard, { timeout: 30_000 }).toEqual(paid);
    expect(merchant.refused).toEqual([]);
    await deployment.svc('ledger', 'check');
  });

  test('the API sees the true address of a client', async () => {
    const forged = { 'x-forwarded-for': '203.0.113.7' };
    const requestId = (await fetch(`${apiUrl()}/nowhere`, { headers: forged })).headers.get('x-request-id');
    if (requestId === null) throw new Error('the answer has no x-request-id');
    const logs = await deployment.compose('logs', '--no-color', '--no-log-prefix', 'api', 'api-2');
    const line = logs.split('\n').find((each) => each.includes(requestId) && each.includes('request_finished'));
    expect(line).toContain(`"addressHash":"${hashOf(deployment.host.outside)}"`);
  });

  test('a person joins the console by a link of the command and sees the payments, and the API sees the address of the person', async () => {
    const wanted = ['people', 'invite', shop.accountId, '--role', 'owner', '--name', 'Grace Hopper'];
    const invited = await deployment.svc(...wanted, '--json');
    const { link } = JSON.parse(invited) as { link: string };
    const ask = askConsoleAt(deployment.host.address);
    const person = await joinByLink(link, `https://${CONSOLE_NAME}`, ask);
    const { data } = await person.get(`/accounts/${shop.accountId}/test/sdk/payments`);
    expect(data).toHaveLength(2);
    const page = await ask('/', { method: 'GET', headers: {} });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')]);
    const logs = await deployment.compose('logs', '--no-color', '--no-log-prefix', 'api', 'api-2');
    const asked = logs.split('\n').filter((line) => line.includes('"route":"/sdk/payments"'));
    const hashes = asked.map((line) => /"addressHash":"([^"]+)"/.exec(line)?.[1]);
    expect(hashes).toEqual([hashOf(deployment.host.outside)]);
  });

  test('containers have the rights and the ways that they need, and no others', async () => {
    const { host } = deployment;
    for (const name of SERVICES) {
      const tried = `console.log(process.getuid());try{require('fs').writeFileSync('/app/x','')}catch(e){console.log(e.code)}`;
      expect((await inside(name, ...node(tried))).stdout.trim().split('\n'), name).toEqual(['65532', 'EROFS']);
    }
    // PostgreSQL and Restate are in the network without a way out, the API in it and in Caddy's.
    const out = `fetch('http://${host.outside}:59999').catch((e)=>console.log(e.cause.code))`;
    expect((await inside('settlement', ...node(out))).stdout.trim()).toBe('ECONNREFUSED');
    for (const name of ['postgres', 'restate']) {
      const way = await inside(name, 'bash', '-c', `timeout 3 bash -c '</dev/tcp/${host.outside}/59999' 2>&1`);
      expect(way.stdout, name).toMatch(/unreachable|^$/);
      expect(way.exitCode, name).not.toBe(0);
      expect((await inside(name, 'cat', '/proc/net/route')).stdout, name).not.toMatch(/\t00000000\t\w{8}\t0003/);
    }
    for (const port of [8402, 8403, 8405, 8406, 8407, 9090, 9093, 5432, 8080, 9070])
      await expect(fetch(`http://${host.address}:${port}`), String(port)).rejects.toThrow(/fetch failed/);
    const admin = await host.run(['bash', '-c', '</dev/tcp/127.0.0.1/8405']);
    expect(admin).toMatchObject({ exitCode: 0 });
  });

  test('an upgrade under load: no answer fails, and every payment is in the books once', {
    timeout: 600_000,
  }, async () => {
    if (!images.ok) return;
    const load = startLoad(shop, await Promise.all(Array.from({ length: PAYERS }, newPayer)), apiUrl());
    try {
      await expect.poll(load.paid, { timeout: 60_000 }).toBeGreaterThanOrEqual(10);
      const from = { paid: load.paid(), atMs: performance.now() };
      // The page says so to whoever runs the console.
      const block = upgradeBlock(images.names[0], images.names[1]).replace('webhooks admin', 'webhooks admin console');
      console.log(await deployment.host.must(['bash', '-euc', block], { cwd: FOLDER }));
      const seconds = ((performance.now() - from.atMs) / 1_000).toFixed(1);
      const paid = load.paid() - from.paid;
      console.log(`upgrade: ${seconds} s, ${paid} payments, longest pause ${load.longestPauseMs()} ms`);
      const after = load.paid();
      await expect.poll(load.paid, { timeout: 60_000 }).toBeGreaterThanOrEqual(after + 10);
    } finally {
      await load.stop();
    }
    expect(load.failures).toEqual([]);
    const versions = await Promise.all(
      SERVICES.map((name) =>
        deployment.host.must(['podman', 'inspect', `svc-pay-${name}-1`, '--format', '{{.ImageName}}']),
      ),
    );
    expect(new Set(versions.map((name) => name.trim()))).toEqual(new Set([images.names[1]]));
    const completed = () => merchant.accepted.length - 3;
    await expect.poll(completed, { timeout: 60_000 }).toBe(load.paid());
    expect(new Set(merchant.accepted.map(({ id }) => id)).size).toBe(merchant.accepted.length);
    console.log(await deployment.svc('ledger', 'check'));
  });

  test('down: nothing is left running', async () => {
    await deployment.compose('down');
    expect((await deployment.host.must(['podman', 'ps', '--all', '--quiet'])).trim()).toBe('');
  });
});

const CADDY_ROOT = '/data/caddy/pki/authorities/local/root.crt';

async function problemsOf({ host }: Deployment): Promise<readonly string[]> {
  const doctor = ['docker', 'compose', 'run', '--rm', '-T', 'svc', 'doctor', '--folder', FOLDER, '--json'];
  const { stdout } = await host.run(doctor, { cwd: FOLDER });
  const { findings } = JSON.parse(stdout) as { findings: { status: string; subject: string; message: string }[] };
  return findings.flatMap(({ status, subject, message }) => (status === 'problem' ? `${subject}: ${message}` : []));
}

/** Empty when it succeeds. */
const answers = (run: () => Promise<unknown>) => run().then(() => '', String);

async function settled(door: Parameters<typeof settle>[0], call: Parameters<typeof settle>[1]): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const { status } = await settle(door, call);
    if (status !== 'processing' || tries === 100) return status;
    await sleep(200);
  }
}
