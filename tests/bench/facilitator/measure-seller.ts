// Payments to a stock seller at one concurrency: what a buyer sees, from the request with a payment to the paid answer.
// Every payload is signed before the clock runs; the chain is asked afterwards whether the money is there.
import type { LocalChain } from '@svc-pay/evm/local';
import type { Address } from 'viem';
import { quantile } from '../../quantile.ts';
import { cpuSeconds } from '../intents/cpu-time.ts';
import { closedLoop } from '../settle/closed-loop.ts';
import { openConnection } from '../settle/connection.ts';
import { middleRate } from '../settle/middle-rate.ts';
import type { Payers } from '../settle/payers.ts';

export const AMOUNT_ATOMIC = 10_000n;
const NOTE_LENGTH = 120;

export type SellerLevel = {
  readonly concurrency: number;
  readonly settled: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  /** Of one payment, by the parts that were named. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** How often each answer other than 200 was given. */
  readonly notes: Readonly<Record<string, number>>;
};

export type MeasuredSeller = {
  readonly chain: LocalChain;
  readonly payers: Payers;
  readonly payTo: Address;
  readonly port: number;
  /** Processes whose CPU is counted, with their children. */
  readonly pids: Readonly<Record<string, number>>;
};

/** The requests of a level, as bytes. */
export async function signRequests({ payers, payTo, port }: MeasuredSeller, count: number): Promise<readonly Buffer[]> {
  const unpaid = await fetch(`http://127.0.0.1:${port}/paid`);
  const required = unpaid.headers.get('payment-required');
  if (unpaid.status !== 402 || required === null) throw new Error(`the seller answers ${unpaid.status}`);
  const { accepts, resource } = JSON.parse(Buffer.from(required, 'base64').toString()) as Required;
  const requests: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    const payload = await payers.sign(payTo, AMOUNT_ATOMIC);
    const header = Buffer.from(JSON.stringify({ x402Version: 2, payload, accepted: accepts[0], resource }));
    const lines = ['GET /paid HTTP/1.1', 'Host: 127.0.0.1', `PAYMENT-SIGNATURE: ${header.toString('base64')}`];
    requests.push(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));
  }
  return requests;
}

type Required = { readonly accepts: readonly unknown[]; readonly resource: unknown };

export async function measureSeller(
  seller: MeasuredSeller,
  requests: readonly Buffer[],
  concurrency: number,
  forMs: number,
): Promise<SellerLevel> {
  const { chain, payTo, port } = seller;
  const held = await chain.balanceOf(chain.tokens.usdc, payTo);
  const connections = Array.from({ length: concurrency }, () => openConnection(port));
  const before = cpuOf(seller);
  const finished = await closedLoop(requests, concurrency, forMs, async (bytes, worker) => {
    const connection = connections[worker];
    if (connection === undefined) throw new Error(`worker ${worker} has no connection`);
    return connection.ask(bytes);
  });
  const after = cpuOf(seller);
  for (const connection of connections) connection.end();
  const settled = finished.filter(({ answer }) => answer.code === 200);
  const moved = (await chain.balanceOf(chain.tokens.usdc, payTo)) - held;
  if (moved < BigInt(settled.length) * AMOUNT_ATOMIC)
    throw new Error(`${settled.length} answers were paid for, and ${payTo} received ${moved}`);
  const notes: Record<string, number> = {};
  for (const { answer } of finished) {
    const note = `${answer.code} ${answer.body.slice(0, NOTE_LENGTH)}`;
    if (answer.code !== 200) notes[note] = (notes[note] ?? 0) + 1;
  }
  return {
    concurrency,
    settled: settled.length,
    failed: finished.length - settled.length,
    perSecond: middleRate(settled.map(({ endMs }) => endMs)),
    p50Ms: quantile(
      settled.map(({ startMs, endMs }) => endMs - startMs),
      0.5,
    ),
    cpuMs: Object.fromEntries(
      Object.entries(after).map(([part, used]) => [part, ((used - (before[part] ?? 0)) * 1_000) / settled.length]),
    ),
    notes,
  };
}

function cpuOf({ pids }: MeasuredSeller): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([part, pid]) => [part, cpuSeconds([pid])]));
}
