import { createServer } from 'node:net';
import type { RestatePorts } from '@svc-pay/engine/server';
import { freePort } from '@svc-pay/postgres/server';

export type WorldPorts = {
  readonly api: number;
  readonly settlement: number;
  /** Where the engine calls the settlement service. */
  readonly settlementWork: number;
  readonly webhooks: number;
  readonly webhooksWork: number;
  readonly chain: number;
  readonly solana: number;
  readonly engine: RestatePorts;
};

/** Each the usual one if nobody has it, else any free one; `free` leaves the usual ones to others. */
export async function choosePorts(free: boolean): Promise<WorldPorts> {
  const choose = free ? () => freePort() : choosePort;
  const [api, settlement, settlementWork, webhooks, webhooksWork, chain, solana, ingress, admin, node] =
    await Promise.all([
      choose(8402),
      choose(8403),
      choose(9403),
      choose(8404),
      choose(9404),
      choose(8545),
      choose(8899),
      choose(8080),
      choose(9070),
      choose(5122),
    ]);
  return { api, settlement, settlementWork, webhooks, webhooksWork, chain, solana, engine: { ingress, admin, node } };
}

/** The usual one if nobody has it, else any free one. */
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
