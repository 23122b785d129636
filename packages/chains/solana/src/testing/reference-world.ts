// Intents in Solana USDC, wallets that pay them by themselves, and the reader that finds the payments. The chain is in
// memory and advances when told to.
import { AccountRole, address, getBase58Decoder, type Instruction, type KeyPairSigner } from '@solana/kit';
import { createReferenceReader, type PeriodicJob, type ReferenceStore, systemClock } from '@svc-pay/core';
import { createApiStores } from '@svc-pay/postgres';
import { createReferenceStore } from '@svc-pay/postgres/settlement-service';
import { createTestIntent } from '@svc-pay/postgres/testing';
import type { Id } from '@svc-pay/protocol/ids';
import { createReferenceChain } from '../reference/reference-chain.ts';
import { referenceOf } from '../reference/reference-key.ts';
import type { Leg } from '../transfer/legs.ts';
import { drawActors, signAsWallet } from './actors.ts';
import { alter } from './alter.ts';
import { AMOUNT, createSolanaLaneWorld, type SolanaLaneWorld } from './lane-world.ts';

type IntentId = Id<'paymentIntent'>;

/** Slots until what was sent is final. */
const FINAL = 40n;

export type ReferenceWorld = SolanaLaneWorld & {
  readonly references: ReferenceStore;
  readonly logged: string[];
  /** Waits as long. */
  readonly later: (milliseconds: number) => void;
  /** An intent of 1 USDC whose reference is open. */
  readonly intent: (change?: { readonly expectedSender?: string }) => Promise<IntentId>;
  readonly newPayer: () => Promise<KeyPairSigner>;
  /** Sends a transaction of any wallet program: shares to merchant and platform, and references of these intents. */
  readonly pay: (
    payer: KeyPairSigner,
    shares: readonly [bigint, bigint],
    intents: readonly string[],
  ) => Promise<string>;
  /** The same with any recipients. Returns the transaction's id. */
  readonly send: (payer: KeyPairSigner, legs: readonly Leg[], intents: readonly string[]) => Promise<string>;
  readonly reader: (store?: ReferenceStore) => PeriodicJob;
  /** Everything that was sent becomes final, and the reader runs. */
  readonly read: () => Promise<void>;
  readonly paymentsOf: (intentId: string) => Promise<readonly PaymentRow[]>;
  readonly intentOf: (intentId: string) => Promise<string | undefined>;
};

type PaymentRow = {
  readonly status: string;
  readonly paid: string;
  readonly payer: string;
  readonly due: string | null;
  readonly total: string | null;
};

/** Merchant and platform of the whole amount. */
export const SHARES: readonly [bigint, bigint] = [990_000n, 10_000n];

export async function createReferenceWorld(pool: SolanaLaneWorld['pool']): Promise<ReferenceWorld> {
  const world = await createSolanaLaneWorld(pool);
  const { caller, lane, actors, node, chain } = world;
  const { network } = lane;
  const stores = createApiStores(
    { pool, url: '', ping: async () => {}, close: async () => {} },
    { clock: systemClock, cacheMs: 0 },
  );
  const references = createReferenceStore(pool);
  const logged: string[] = [];
  let laterMs = 0;
  const clock = { nowMs: () => Date.now() + laterMs };
  const reader = (store: ReferenceStore = references) =>
    createReferenceReader(
      createReferenceChain([node], network, async () => 'here'),
      {
        clock,
        references: store,
        log: (event, details) => void logged.push(`${event} ${JSON.stringify(details)}`),
      },
    );

  const intent: ReferenceWorld['intent'] = async ({ expectedSender } = {}) => {
    const intentId = await createTestIntent(pool, caller, { usdAmount: '1' });
    await pool.query(
      `update svc.acceptances set network = $2, token_shortcode = 'soldevnet_usdc', asset = $3, pay_to = $4, payout_id = 1,
         amount = $5 where intent_id = $1`,
      [intentId, network, world.acceptance.token.address, actors.merchant, AMOUNT.toString()],
    );
    if (expectedSender !== undefined)
      await pool.query('update svc.intents set expected_sender = $2 where id = $1', [intentId, expectedSender]);
    const { rows } = await pool.query<{ intent_code: string }>('select intent_code from svc.intents where id = $1', [
      intentId,
    ]);
    const [row] = rows;
    if (row === undefined) throw new Error('no intent');
    await stores.openReference(
      {
        accountId: caller.accountId,
        mode: 'test',
        intentId,
        intentCode: BigInt(row.intent_code),
        network,
        reference: referenceOf('here', intentId),
        feeRecipient: actors.platform,
      },
      clock.nowMs(),
    );
    return intentId;
  };

  const send: ReferenceWorld['send'] = async (payer, legs, intents) => {
    const terms = {
      ...actors.terms('', legs),
      payer: payer.address,
      memo: `x${Math.random()}`,
    };
    const named = intents.map((one) => ({ address: address(referenceOf('here', one)), role: AccountRole.READONLY }));
    const change = ([first, ...others]: readonly Instruction[]): readonly Instruction[] =>
      first === undefined ? others : [{ ...first, accounts: [...(first.accounts ?? []), ...named] }, ...others];
    const prepared = { terms, lifetime: await node.latestLifetime(), messageHash: '', wire: new Uint8Array() };
    const wire = await alter(prepared, { feePayer: payer.address, change });
    const signed = Buffer.from(await signAsWallet(wire, payer), 'base64');
    const { outcome } = await node.send(signed);
    if (outcome !== 'known') throw new Error(`the payment was ${outcome}`);
    return getBase58Decoder().decode(signed.subarray(1, 65));
  };

  return {
    ...world,
    references,
    logged,
    later: (milliseconds) => {
      laterMs += milliseconds;
    },
    intent,
    newPayer: async () => {
      const { payer } = await drawActors();
      chain.fundSol(payer.address, 1_000_000_000n);
      await chain.fundToken(payer.address, 100n * AMOUNT);
      return payer;
    },
    send,
    pay: (payer, [merchant, platform], intents) => {
      const legs = [
        { owner: actors.merchant, amountAtomic: merchant },
        { owner: actors.platform, amountAtomic: platform },
      ];
      return send(payer, legs, intents);
    },
    reader,
    read: async () => {
      chain.ledger.advance(FINAL);
      laterMs += 2_000;
      await reader().run();
    },
    paymentsOf: async (intentId) => {
      const { rows } = await pool.query<PaymentRow>(
        `select status, paid_amount::text as paid, payer, refund_due_amount::text as due, paid_total::text as total
         from svc.payments where intent_id = $1 order by created_at, id`,
        [intentId],
      );
      return rows;
    },
    intentOf: async (intentId) =>
      (await pool.query<{ status: string }>('select status from svc.intents where id = $1', [intentId])).rows[0]
        ?.status,
  };
}
