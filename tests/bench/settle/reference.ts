// The stock X402 facilitator, as npm has it, in this process: no HTTP, no record, no fee, no webhook. Tuned as well as it
// can be from outside: nonces counted here, and receipts asked for every 50 ms.
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { type Address, createWalletClient, defineChain, http, parseEther, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import { quantile } from '../../quantile.ts';
import { closedLoop, ROUNDS } from './closed-loop.ts';
import { middleRate } from './middle-rate.ts';
import type { Payers } from './payers.ts';
import { BLOCK_SECONDS, type SettleWorld } from './settle-world.ts';

export type ReferenceLevel = {
  readonly concurrency: number;
  readonly settled: number;
  readonly failed: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly cpuMs: number;
};

export type Reference = (concurrency: number, forMs: number) => Promise<ReferenceLevel>;

const MERCHANT: Address = '0x00000000000000000000000000000000000a1101';
const AMOUNT_ATOMIC = 1_000_000n;
const POLL_MS = 50;
/** More than it settles in a second, whatever the machine. */
const MOST_PER_SECOND = 400;

export async function openReference({ chain }: SettleWorld, payers: Payers): Promise<Reference> {
  const { privateKey } = await chain.newKey(parseEther('10000'));
  const account = privateKeyToAccount(privateKey, { nonceManager: createNonceManager({ source: jsonRpc() }) });
  const client = createWalletClient({
    account,
    chain: defineChain({
      id: chain.chainId,
      name: 'local',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [chain.rpcUrl] } },
      blockTime: BLOCK_SECONDS * 1_000,
    }),
    transport: http(chain.rpcUrl),
    pollingInterval: POLL_MS,
  }).extend(publicActions);
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address } as unknown as SignerParts);
  const facilitator = new x402Facilitator().register(`eip155:${chain.chainId}`, new ExactEvmScheme(signer));
  const asset = chain.tokens.usdc;
  const requirements = {
    scheme: 'exact',
    network: `eip155:${chain.chainId}`,
    asset,
    amount: AMOUNT_ATOMIC.toString(),
    payTo: MERCHANT,
    maxTimeoutSeconds: 300,
    extra: { name: 'USD Coin', version: '2' },
  } as const;
  return async (concurrency, forMs) => {
    const most = Math.ceil(Math.min(concurrency, MOST_PER_SECOND) * (forMs / 1_000) + concurrency * (ROUNDS + 1));
    const payloads = await Promise.all(Array.from({ length: most }, () => payers.sign(MERCHANT, AMOUNT_ATOMIC)));
    const held = await chain.balanceOf(asset, MERCHANT);
    const cpu = process.cpuUsage();
    const finished = await closedLoop(payloads, concurrency, forMs, async (payload) => {
      const resource = { url: 'http://127.0.0.1/', description: '', mimeType: '' };
      const sent = { x402Version: 2, accepted: requirements, payload, resource };
      return facilitator.settle(sent, requirements).then(
        ({ success }) => success,
        () => false,
      );
    });
    const used = process.cpuUsage(cpu);
    const settled = finished.filter(({ answer }) => answer);
    const moved = (await chain.balanceOf(asset, MERCHANT)) - held;
    if (moved < BigInt(settled.length) * AMOUNT_ATOMIC)
      throw new Error('the reference says settled, the chain does not');
    return {
      concurrency,
      settled: settled.length,
      failed: finished.length - settled.length,
      perSecond: middleRate(settled.map(({ endMs }) => endMs)),
      p50Ms: Math.round(
        quantile(
          settled.map(({ startMs, endMs }) => endMs - startMs),
          0.5,
        ),
      ),
      cpuMs: (used.user + used.system) / 1_000 / settled.length,
    };
  };
}

/** What viem's client offers is what is asked for; its own types are narrower in what they take. */
type SignerParts = Parameters<typeof toFacilitatorEvmSigner>[0];
