import { createServer } from 'node:net';
import type { RestatePorts } from '@svc-pay/engine/server';
import { freePort } from '@svc-pay/postgres/server';

export type WorldPorts = {
  readonly api: number;
  readonly settlement: number;
  /** Port on which the engine calls settlement. */
  readonly settlementWork: number;
  readonly webhooks: number;
  readonly webhooksWork: number;
  readonly adminService: number;
  readonly console: number;
  /** Port on which the console tells whether it is ready. */
  readonly consoleMetrics: number;
  readonly chain: number;
  readonly solana: number;
  readonly icp: number;
  readonly engine: RestatePorts;
};

/** Uses the default ports where free, else random ones; with `free` only random ones. */
export async function choosePorts(free: boolean): Promise<WorldPorts> {
  const choose = free ? () => freePort() : choosePort;
  const [api, settlement, settlementWork, webhooks, webhooksWork, adminService, console, consoleMetrics, ...others] =
    await Promise.all([
      choose(8402),
      choose(8403),
      choose(9403),
      choose(8404),
      choose(9404),
      choose(8405),
      choose(8406),
      choose(8407),
      choose(8545),
      choose(8899),
      choose(4943),
      choose(8080),
      choose(9070),
      choose(5122),
    ]);
  const [chain, solana, icp, ingress, admin, node] = others;
  const services = { api, settlement, settlementWork, webhooks, webhooksWork, adminService, console, consoleMetrics };
  return { ...services, chain, solana, icp, engine: { ingress, admin, node } };
}

/** Returns the default port if it is free, else a random free one. */
export async function choosePort(usual: number): Promise<number> {
  return (await isFree(usual)) ? usual : freePort();
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
