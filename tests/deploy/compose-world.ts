// A deployment as docs/operate/init.md tells: the image, `svc init` out of it, docker compose. On a machine of its own.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sealKeystore } from '@svc-pay/evm';
import type { LocalChain } from '@svc-pay/evm/testing';
import type { PodmanHost } from '../../tools/containers/podman-host.ts';

export const FOLDER = '/etc/svc-pay';
/** Caddy signs by itself for names that end in .local. */
export const CONSOLE_NAME = 'console.local';

export type Deployment = {
  readonly host: PodmanHost;
  readonly compose: (...argv: readonly string[]) => Promise<string>;
  /** `docker compose run --rm svc …`: exits with 0, and answers what it printed. */
  readonly svc: (...argv: readonly string[]) => Promise<string>;
  /** A file of the folder, as this machine sees it. */
  readonly file: (name: string) => string;
};

export function openDeployment(host: PodmanHost): Deployment {
  const compose = (...argv: readonly string[]) => host.must(['docker', 'compose', ...argv], { cwd: FOLDER });
  return {
    host,
    compose,
    svc: (...argv) => compose('run', '--rm', '-T', 'svc', ...argv),
    file: (name) => `/proc/${host.pid}/root${FOLDER}/${name}`,
  };
}

export async function initFolder({ host }: Deployment, image: string): Promise<void> {
  await host.must(['mkdir', FOLDER]);
  const run = ['docker', 'run', '--rm', '--user', '0:0', '--network', 'none', '--volume', `${FOLDER}:${FOLDER}`, image];
  const addresses = ['--public', `https://${host.address}`, '--console', `https://${CONSOLE_NAME}`];
  const options = ['--network', 'anvil', ...addresses, '--image', image];
  await host.must([...run, 'svc', 'init', FOLDER, ...options]);
}

/** What an operator writes into the new folder: the node, the processor, and keys that have their roles already. */
export async function fillFolder({ host, file }: Deployment, chain: LocalChain, rpcUrl: string): Promise<void> {
  const { processor } = chain.record;
  const network = { processor, processorVersion: '1.3.0', ready: true, rpcUrls: [rpcUrl], gasCoinUsd: '3000' };
  writeFileSync(file('networks.json'), JSON.stringify({ [chain.network]: network }));
  const password = readFileSync(file('secrets/relayer-password'), 'utf8').trim();
  const keystore = (key: string) => sealKeystore(Buffer.from(key.slice(2), 'hex'), password);
  const [relayer] = chain.keys.relayers;
  if (relayer === undefined) throw new Error('the chain has no relayer');
  writeFileSync(file('relayers/evm-1.json'), await keystore(relayer.privateKey));
  const alerts = readFileSync(file('alertmanager.yaml'), 'utf8');
  writeFileSync(file('alertmanager.yaml'), alerts.replace(/url: .*/, `url: http://${host.outside}:8000/`));
  // All payers of the test have one address and one key.
  appendFileSync(file('api.env'), 'SVC_API_RATE_LIMITS=off\n');
  const approvers = `SVC_PAYOUT_APPROVERS=${chain.keys.payoutApprover.account.address}\n`;
  for (const program of ['api', 'settlement', 'command']) appendFileSync(file(`${program}.env`), approvers);
}

/**
 * podman has its health checks started by systemd, which this machine does not run: until aborted, every check runs once a
 * second. With Docker, and with podman under systemd, nobody needs this.
 */
export async function runHealthChecks({ host }: Deployment, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const names = (await host.run(['podman', 'ps', '--filter', 'health=starting', '--format', '{{.Names}}'])).stdout;
    for (const name of names.split('\n').filter((each) => each !== ''))
      await host.run(['podman', 'healthcheck', 'run', name]);
    await sleep(1_000);
  }
}
