// "Your first deployment", typed from the page as it stands into a Debian root that has nothing yet. Replaced are the values of
// its first block; what else differs from a reader's server is in differences.ts, each with its reason.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { containersCache } from '../../tools/containers/config.ts';
import { debianRoot } from '../../tools/containers/debian-root.ts';
import { startPodman } from '../../tools/containers/podman-host.ts';
import { thirdPartyImages } from '../../tools/containers/third-party-images.ts';
import { startBaseSepolia } from './base-sepolia.ts';
import { makeEmptyMachine } from './empty-machine.ts';
import { forwardTo, startProxy } from './forward.ts';
import { readPage, scriptOf } from './page-blocks.ts';
import { createReader } from './reader.ts';
import { makeTestRelease } from './test-release.ts';
import { typePage } from './type-page.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = 'docs/operate/first-deployment.md';
/** Caddy takes names that end in .local for names of a private network, and signs for them by itself. */
const DOMAIN = 'pay.local';
const MERCHANT = `0x${'6e'.repeat(20)}`;
const MOST_MINUTES = 30;

type Report = { readonly ok: boolean; readonly flows: readonly { readonly flow: string; readonly ok: boolean }[] };

test(
  'the page, typed as it stands into an empty Debian root, ends with payments that are green to the unit',
  async ({ skip }) => {
    const [tools, bare] = [debianRoot(), debianRoot({ packages: [], configuration: {} })];
    skip(!tools.ok, tools.ok ? '' : tools.why);
    skip(!bare.ok, bare.ok ? '' : bare.why);
    const release = await makeTestRelease(ROOT);
    skip(!release.ok, release.ok ? '' : release.why);
    if (!tools.ok || !bare.ok || !release.ok) return;

    const imageStore = await thirdPartyImages(tools.folder);
    const network = await startPodman(tools.folder);
    onTestFinished(network.stop);
    const chain = await startBaseSepolia();
    onTestFinished(() => chain.stop('SIGKILL'));
    const chainPort = Number(new URL(chain.rpcUrl).port);
    const [proxy, ...nodes] = await Promise.all([
      startProxy(network.outside),
      forwardTo(network.outside, chainPort),
      forwardTo(network.outside, chainPort),
    ]);
    onTestFinished(() => [proxy, ...nodes].forEach(({ close }) => close()));
    const [first = '', second = ''] = nodes.map(({ port }) => `http://${network.outside}:${port}`);

    const machine = makeEmptyMachine({
      root: bare.folder,
      networkPid: network.pid,
      imageStore,
      instances: path.join(containersCache(), 'instances'),
      surroundings: { address: network.address, proxyUrl: `http://${network.outside}:${proxy.port}`, domain: DOMAIN },
    });
    onTestFinished(machine.remove);
    release.write(machine.fileOf('srv/release'), machine.fileOf('srv/release-key.pem'));

    const page = readPage(readFileSync(path.join(ROOT, PAGE), 'utf8'));
    const script = scriptOf(page, {
      VERSION: release.version,
      RELEASE: '/srv/release',
      RELEASE_KEY: '/srv/release-key.pem',
      DOMAIN,
      RPC_URL: first,
      RPC_URL_2: second,
      ALERTS_URL: `http://${network.outside}:9/`,
      MERCHANT,
    });
    const { exitCode, seconds, output } = await typePage(machine, script, createReader(chain));
    expect(exitCode, output.slice(-200).join('\n')).toBe(0);

    const report = JSON.parse(
      readFileSync(machine.fileOf('var/lib/svc-testnet/rehearsal-1/report.json'), 'utf8'),
    ) as Report;
    expect(report).toMatchObject({ ok: true });
    expect(report.flows.map(({ flow, ok }) => [flow, ok])).toEqual([
      ['exact', true],
      ['upto', true],
    ]);
    expect(await chain.balanceOf(chain.tokens.usdc, MERCHANT as `0x${string}`)).toBe(10_007n + 10_011n);
    expect(output).toContain('Signature Verified Successfully');
    expect(seconds).toBeLessThan(MOST_MINUTES * 60);
  },
  (MOST_MINUTES + 10) * 60_000,
);
