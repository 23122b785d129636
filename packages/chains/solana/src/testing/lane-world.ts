// A Solana lane with its own database and an in-memory chain, driven step by step by a test.

import type { KeyPairSigner } from '@solana/kit';
import {
  type Caller,
  claimKey,
  type ExpiringLaneDeps,
  type Lane,
  type LaneLease,
  laneRound,
  type StoredAcceptance,
  systemClock,
  TOKENS,
} from '@svc-pay/core';
import { atomicAmount, parseRate } from '@svc-pay/money';
import { createApiStores } from '@svc-pay/postgres';
import { createLaneStore, registerRelayer } from '@svc-pay/postgres/settlement-service';
import { createTestIntent, seedMerchant } from '@svc-pay/postgres/testing';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { prepareOnChain } from '../prepare/prepare-on-chain.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import { createLaneChain } from '../send/create-lane-chain.ts';
import type { PreparedTransfer } from '../transfer/transfer-terms.ts';
import { type Actors, drawActors, signAsWallet } from './actors.ts';
import { type LiteChain, startLiteChain } from './lite/start-lite-chain.ts';

type Pool = Parameters<typeof createLaneStore>[0];

export type SolanaLaneWorld = {
  readonly pool: Pool;
  readonly caller: Caller;
  readonly acceptance: StoredAcceptance;
  readonly chain: LiteChain;
  readonly node: SolanaNode;
  /** The node that the lane asks. */
  readonly front: Awaited<ReturnType<LiteChain['openNode']>>;
  readonly actors: Actors;
  readonly lane: Lane;
  readonly deps: ExpiringLaneDeps;
  /** Queues a payment of a new payer, claimed as by the API; `sign` may alter the transaction. */
  readonly queue: (options?: QueueOptions) => Promise<QueuedTransfer>;
  readonly takeLease: () => Promise<LaneLease>;
  /** Runs rounds, with a slot in between, until no work is left. */
  readonly settle: (deps?: ExpiringLaneDeps) => Promise<void>;
  readonly statusOf: (
    paymentId: string,
  ) => Promise<{ readonly payment: string; readonly intent: string; readonly code: string | null }>;
  readonly balanceOf: (owner: string) => Promise<bigint>;
};

type QueueOptions = {
  /** An intent that exists; a new one if absent. */
  readonly intentId?: Id<'paymentIntent'>;
  readonly sign?: (prepared: PreparedTransfer, payer: KeyPairSigner) => Promise<string>;
  readonly confirmations?: number;
  /** The memo that the API found in a transaction signed before its intent existed. */
  readonly memo?: string | null;
};

export type QueuedTransfer = {
  readonly paymentId: Id<'payment'>;
  readonly intentId: Id<'paymentIntent'>;
  readonly payer: string;
  readonly prepared: PreparedTransfer;
};

export const AMOUNT = 1_000_000n;
const FEE_BPS = 100;
const PAYOUT = 1n;

export async function createSolanaLaneWorld(pool: Pool): Promise<SolanaLaneWorld> {
  const chain = await startLiteChain();
  const front = await chain.openNode();
  const node = openNode(front.rpcUrl);
  const actors = await drawActors();
  const { relayer, merchant, platform } = actors;
  chain.fundSol(relayer.address, 1_000_000_000n);
  await Promise.all([merchant, platform].map((owner) => chain.fundToken(owner, 0n)));
  const token = TOKENS.find(({ shortcode }) => shortcode === 'soldevnet_usdc');
  if (token === undefined) throw new Error('no such token');
  const lane: Lane = { network: token.network, relayer: relayer.address };
  const store = createLaneStore(pool, { clock: systemClock, gasCoinRate: () => undefined });
  const laneChain = createLaneChain({ nodes: [node], signer: relayer });
  await registerRelayer(pool, { ...lane, mode: 'test', duty: 'settle' }, async () => 0n, Date.now());
  const deps: ExpiringLaneDeps = {
    store,
    chain: laneChain,
    clock: systemClock,
    pace: {
      maxInFlight: 64,
      gatherMs: 0,
      pollMs: 0,
      resendMs: 0,
      linkMs: 0,
      bumpMs: 3_600_000,
      deferMs: 0,
      troubleMs: 0,
    },
    log: () => {},
  };
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  await pool.query(
    `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at)
     values ($1, 'test', $2, $3, $4, $5, $6, 'active', now())`,
    [caller.accountId, lane.network, PAYOUT.toString(), platform, merchant, FEE_BPS],
  );
  const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: Date.now() });
  if (!rate.ok) throw new Error(rate.code);
  const acceptance: StoredAcceptance = {
    position: 0,
    scheme: 'exact',
    network: lane.network,
    token,
    payTo: merchant,
    amount: atomicAmount(AMOUNT),
    payoutId: PAYOUT,
    maxTimeoutSeconds: 60,
    confirmations: 1,
    minimumUsdMicros: null,
    priceEndsAtMs: null,
    rate: rate.rate,
  };
  const takeLease = async () => ({ ...lane, epoch: await store.takeOver(lane) });
  return {
    pool,
    caller,
    acceptance,
    chain,
    node,
    front,
    actors,
    lane,
    deps,
    takeLease,
    queue: (options) => queue({ pool, caller, chain, node, actors, acceptance }, options),
    settle: async (given = deps) => {
      const lease = await takeLease();
      for (let round = 0; round < 500; round += 1) {
        const end = await laneRound(given, lease);
        chain.ledger.advance(1n);
        if (end === 'empty' && (await given.store.fallAsleep(lease))) return;
        if (end === 'taken_over') throw new Error('the lane was taken over');
      }
      throw new Error('the lane never came to rest');
    },
    statusOf: async (paymentId) => {
      const { rows } = await pool.query<{ payment: string; intent: string; code: string | null }>(
        `select p.status as payment, i.status as intent, p.failure_code as code
         from svc.payments p join svc.intents i on i.id = p.intent_id where p.id = $1`,
        [paymentId],
      );
      const [row] = rows;
      if (row === undefined) throw new Error(`no payment ${paymentId}`);
      return row;
    },
    balanceOf: async (owner) => chain.balanceOf(owner),
  };
}

type QueueWorld = Pick<SolanaLaneWorld, 'pool' | 'chain' | 'node' | 'actors'> & {
  readonly caller: Caller;
  readonly acceptance: StoredAcceptance;
};

async function queue(world: QueueWorld, options: QueueOptions = {}): Promise<QueuedTransfer> {
  const { pool, caller, chain, node, actors, acceptance } = world;
  const { payer } = await drawActors();
  await chain.fundToken(payer.address, AMOUNT);
  const intentId = options.intentId ?? (await createTestIntent(pool, caller));
  const made = await prepareOnChain([node], { ...actors.terms(intentId), payer: payer.address });
  if (!made.ok) throw new Error(made.code);
  const { prepared } = made;
  const sign = options.sign ?? (({ wire }, key) => signAsWallet(wire, key));
  const wire = Buffer.from(await sign(prepared, payer), 'base64');
  const nowMs = Date.now();
  const paymentId = newId('payment', nowMs);
  const { terms, lifetime, messageHash } = prepared;
  const stores = createApiStores(
    { pool, url: '', ping: async () => {}, close: async () => {} },
    { clock: systemClock, cacheMs: 0 },
  );
  const claimed = await stores.claimPayment({
    caller,
    intentId,
    paymentId,
    claimKey: claimKey({
      network: acceptance.network,
      asset: acceptance.token.address,
      payer: payer.address,
      uniquePart: messageHash,
    }),
    kind: 'solana_transaction',
    byContract: false,
    acceptance: { ...acceptance, confirmations: options.confirmations ?? 1 },
    authorization: {
      from: payer.address,
      to: acceptance.payTo,
      value: AMOUNT.toString(),
      validAfter: '0',
      validBefore: '4000000000',
      nonce: `0x${messageHash}`,
    },
    signature: `0x${wire.toString('hex')}`,
    transfer: {
      ...lifetime,
      relayer: terms.relayer,
      feeRecipient: actors.platform,
      tokenProgram: terms.tokenProgram,
      decimals: terms.decimals,
      ...(options.memo !== undefined && { memo: options.memo }),
    },
    nowMs,
  });
  if (claimed.outcome !== 'claimed') throw new Error(claimed.outcome);
  return { paymentId, intentId, payer: payer.address, prepared };
}
