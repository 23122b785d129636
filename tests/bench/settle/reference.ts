// The stock X402 facilitator, as npm has it, in two forms. `published`: in this process, with a nonce manager and receipts
// asked for every 50 ms; it estimates gas and asks for fees as its own signer does. `tuned`: by everything that can be done
// from outside, as a service with several processes. Neither keeps a record, takes a fee or tells anybody.
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { type Address, createWalletClient, defineChain, http, parseEther, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import { type BenchProcesses, createBenchProcesses } from '../bench-servers.ts';
import type { StockFacilitatorOptions } from '../facilitator/stock-facilitator.ts';
import type { Costs } from '../meters/costs.ts';
import { startMeters } from '../meters/meters.ts';
import { type Connection, openConnection } from './connection.ts';
import type { Payers } from './payers.ts';
import { type Load, runLoad, worksFor } from './run-load.ts';
import { type BareWorld, BLOCK_SECONDS } from './settle-world.ts';
import { type Timing, timingOf } from './timing.ts';

export type ReferenceName = 'published' | 'tuned';
export type ReferenceLevel = Timing & { readonly name: ReferenceName; readonly load: Load; readonly costs: Costs };

export type Reference = {
  readonly name: ReferenceName;
  /** Roots of what a payment is charged with; none: it runs in this process. */
  readonly pids: Readonly<Record<string, number>>;
  readonly settle: (payload: SignedPayload, slot: number) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

type SignedPayload = Awaited<ReturnType<Payers['sign']>>;

const MERCHANT: Address = '0x00000000000000000000000000000000000a1101';
const AMOUNT_ATOMIC = 1_000_000n;
const POLL_MS = 50;
/** More than it settles in a second, whatever the machine. */
const MOST_PER_SECOND = 1_000;

const requirementsOn = ({ chain }: BareWorld) =>
  ({
    scheme: 'exact',
    network: `eip155:${chain.chainId}`,
    asset: chain.tokens.usdc,
    amount: AMOUNT_ATOMIC.toString(),
    payTo: MERCHANT,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  }) as const;

const RESOURCE = { url: 'http://127.0.0.1/', description: '', mimeType: '' };

export async function openPublished(bare: BareWorld): Promise<Reference> {
  const { chain, fronts } = bare;
  const { privateKey } = await chain.newKey(parseEther('10000'));
  const account = privateKeyToAccount(privateKey, { nonceManager: createNonceManager({ source: jsonRpc() }) });
  const client = createWalletClient({
    account,
    chain: defineChain({
      id: chain.chainId,
      name: 'local',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [fronts.urls[0]] } },
      blockTime: BLOCK_SECONDS * 1_000,
    }),
    transport: http(fronts.urls[0]),
    pollingInterval: POLL_MS,
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as unknown as SignerParts);
  const facilitator = new x402Facilitator().register(`eip155:${chain.chainId}`, new ExactEvmScheme(signer));
  const requirements = requirementsOn(bare);
  return {
    name: 'published',
    pids: {},
    settle: (payload) =>
      facilitator
        .settle({ x402Version: 2, accepted: requirements, payload, resource: RESOURCE }, requirements)
        .then(({ success }) => success)
        .catch(() => false),
    stop: async () => {},
  };
}

/** As a service: each of its processes has a key of its own. */
export async function startTuned(
  { startOwn }: BenchProcesses,
  { chain, fronts }: Pick<BareWorld, 'chain' | 'fronts'>,
  count: number,
) {
  const keys = await Promise.all(Array.from({ length: count }, () => chain.newKey(parseEther('10000'))));
  const given: StockFacilitatorOptions = {
    rpcUrl: fronts.urls[0],
    chainId: chain.chainId,
    keys: keys.map(({ privateKey }) => privateKey),
  };
  return startOwn('tests/bench/facilitator/stock-facilitator.ts', [JSON.stringify(given)], {});
}

export async function openTuned(bare: BareWorld, count: number): Promise<Reference> {
  const processes = createBenchProcesses();
  const { child, port } = await startTuned(processes, bare, count);
  const paymentRequirements = requirementsOn(bare);
  const connections: Connection[] = [];
  return {
    name: 'tuned',
    pids: { facilitator: child.pid ?? 0 },
    settle: async (payload, slot) => {
      const connection = (connections[slot] ??= openConnection(port));
      const sent = { x402Version: 2, accepted: paymentRequirements, payload, resource: RESOURCE };
      const { code, body } = await connection.ask(settleRequest({ paymentPayload: sent, paymentRequirements }));
      return code === 200 && (JSON.parse(body) as { success: boolean }).success;
    },
    stop: async () => {
      for (const connection of connections) connection.end();
      await processes.stop();
    },
  };
}

function settleRequest(asked: object): Buffer {
  const body = JSON.stringify(asked);
  const head = ['POST /settle HTTP/1.1', 'Host: 127.0.0.1', `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n');
  return Buffer.from(`${head}\r\n\r\n${body}`);
}

/** The chain is asked afterwards whether the money is there. */
export async function measureReference(
  bare: BareWorld,
  payers: Payers,
  { name, pids, settle }: Reference,
  load: Load,
  seconds: number,
): Promise<ReferenceLevel> {
  const { chain, rpc, fronts } = bare;
  const count = worksFor(load, seconds, MOST_PER_SECOND);
  const payloads = await Promise.all(Array.from({ length: count }, () => payers.sign(MERCHANT, AMOUNT_ATOMIC)));
  const held = await chain.balanceOf(chain.tokens.usdc, MERCHANT);
  const inside = Object.keys(pids).length === 0;
  const meters = await startMeters({
    charged: pids,
    beside: { chain: chain.pid, nodes: fronts.pid },
    self: { name: inside ? 'facilitator' : 'load', charged: inside },
    rpc,
    fronts,
  });
  const startMs = performance.now();
  const finished = await runLoad(load, payloads, seconds * 1_000, settle);
  const settled = finished.filter(({ answer }) => answer);
  const { costs } = await meters.stop(settled.length);
  const moved = (await chain.balanceOf(chain.tokens.usdc, MERCHANT)) - held;
  if (moved < BigInt(settled.length) * AMOUNT_ATOMIC) {
    throw new Error(`the ${name} facilitator says settled, the chain does not`);
  }
  return { ...timingOf(settled, { startMs, failed: finished.length - settled.length }), name, load, costs };
}

/** What viem's client offers is what is asked for; its own types are narrower in what they take. */
type SignerParts = Parameters<typeof toFacilitatorEvmSigner>[0];
