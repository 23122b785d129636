// Brings the payers of direct payments: they sign, submit their header to the API and again after a refusal, and strangers
// submit what they have seen to the token.
import { type Intent, LANE_DRAIN, type PayoutActivation } from '@svc-pay/core';
import {
  type AuthorizationRow,
  queueSettlement,
  sampleActivation,
  seedAuthorization,
  seedIntent,
} from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';
import { TOKEN, WALLETS } from '../chain/chain-state.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import { FINAL_DEPTH } from '../chain/simulated-node.ts';
import type { FakeEngine } from './fake-engine.ts';
import { intentOf } from './merchant.ts';
import type { DirectBuyer } from './plan-direct.ts';
import type { Simulation } from './simulation.ts';

export type DirectCustomers = {
  /** By the key of their authorization, as hex. */
  readonly buyers: ReadonlyMap<string, DirectBuyer>;
  readonly areDone: () => boolean;
  readonly stop: () => void;
};

const AGAIN_MS = 2_500;
const PAYOUT_IDS = { exclusive: 11n, shared: 12n } as const;

export function bringDirectCustomers(
  whole: Simulation,
  network: NetworkId,
  chain: SimulatedChain,
  engines: readonly FakeEngine[],
  planned: readonly DirectBuyer[],
  withinMs: number,
): DirectCustomers {
  const simulation = whole.apart();
  const { timeline, clock, dice, tables, note, strikes } = simulation;
  const buyers = new Map<string, DirectBuyer>();
  let waiting = planned.length;
  let stopped = false;
  const later = (delayMs: number, action: () => void) => {
    waiting += 1;
    timeline.after(delayMs, () => {
      waiting -= 1;
      action();
    });
  };
  const wakeLanes = () => {
    for (const row of tables.relayers.values()) {
      if (row.awake || row.duty !== 'settle') continue;
      row.awake = true;
      if (!strikes('wake lost', 0.2)) dice.pick(engines).wake(LANE_DRAIN, `${row.network}/${row.address}`);
    }
  };

  const sign = (buyer: DirectBuyer, intent: Intent): void => {
    const nonce = `0x${simulation.newIntentCode().toString(16).padStart(64, '0')}`;
    const { payer, capAtomic, use, stranger } = buyer;
    const wallet = WALLETS[use];
    const validBeforeSeconds = BigInt(Math.floor(clock.nowMs() / 1_000) + buyer.validForSeconds);
    const signed = { payer, nonce, capAtomic, validBeforeSeconds };
    if (stranger !== undefined) {
      const intentCode = BigInt(intent.intentCode);
      later(stranger.afterMs, () => {
        if (strikes('authorization submitted', 1))
          chain.submit({ ...signed, to: wallet, intentCode, gift: stranger.gift });
      });
    }
    later(buyer.claimAfterMs, () => claim(buyer, intent, signed));
  };

  /** As the API takes a header: by a node that may lag, it is seen unused, or used. */
  const claim = (
    buyer: DirectBuyer,
    intent: Intent,
    signed: Pick<AuthorizationRow, 'payer' | 'nonce' | 'capAtomic' | 'validBeforeSeconds'>,
  ): void => {
    const blocks = chain.blocks();
    const seen = blocks[Math.max(0, blocks.length - 1 - Math.floor(dice.roll() * 3))];
    if (seen === undefined) throw new Error('no block');
    const used = seen.state.used.has(`${signed.payer} ${signed.nonce}`);
    if (used && !buyer.bound) return note('api', `refuses intent ${intent.intentCode}: authorization_already_used`);
    const activation: PayoutActivation = sampleActivation({ use: buyer.use, wallet: WALLETS[buyer.use] });
    const terms = {
      ...signed,
      asset: TOKEN,
      processor: WALLETS[buyer.use],
      payout: { id: PAYOUT_IDS[buyer.use], merchant: activation.wallet, feeBps: 0, splits: [], direct: activation },
      direct: { bound: buyer.bound, unusedAtBlock: seen.number - BigInt(FINAL_DEPTH) },
    };
    const key = seedAuthorization(tables, intent, terms, clock.nowMs());
    buyers.set(key, buyer);
    const { item } = queueSettlement(tables, key, { nowMs: clock.nowMs(), status: used ? 'held' : 'queued' });
    const what = `${buyer.bound ? 'bound' : 'unbound'}, ${buyer.use}${buyer.isSound ? ', sound' : ''}`;
    note('api', `${item.paymentId} is direct, intent ${intent.intentCode}, ${key.slice(0, 8)}, ${what}`);
    wakeLanes();
    timeline.after(AGAIN_MS, () => submitAgain(buyer, intent.id, item.paymentId));
  };

  /** As the API does when the same header comes again after the chain refused its payment. */
  const queueRefused = (paymentId: string): boolean => {
    const row = tables.settlements.get(paymentId);
    if (row?.status !== 'held' || row.refusal === null) return false;
    Object.assign(row, { status: 'queued', refusal: null, relayer: null, batchId: null, retryAtMs: null });
    return true;
  };

  /** The payer's client asks again until the payment has its result; then a second payer may pay the intent. */
  const submitAgain = (buyer: DirectBuyer, intentId: string, paymentId: string): void => {
    if (stopped) return;
    const status = tables.payments.get(paymentId)?.status;
    const row = tables.intents.get(intentId);
    if (status === 'failed' && buyer.second !== undefined && row?.intent.status === 'requires_payment') {
      note('payer', `signs again for intent ${row.intent.intentCode}`);
      const { second: payer, stranger: _s, second: _p, ...usual } = buyer;
      return sign({ ...usual, payer, isSound: true, bound: true, claimAfterMs: 0, validForSeconds: 150 }, row.intent);
    }
    // A reorg makes a completed payment pending again, of which the merchant is told: then the header is sent again.
    if (status !== 'pending' && status !== 'completed') return;
    if (queueRefused(paymentId)) {
      note('api', `${paymentId} is submitted again`);
      wakeLanes();
    }
    timeline.after(AGAIN_MS, () => submitAgain(buyer, intentId, paymentId));
  };

  for (const buyer of planned) {
    timeline.after(dice.roll() * withinMs, () => {
      waiting -= 1;
      const terms = { ...buyer, settledAtomic: buyer.capAtomic };
      const intent = intentOf(network, terms, simulation.newIntentCode(), clock.nowMs());
      seedIntent(tables, intent);
      sign(buyer, intent);
    });
  }
  return {
    buyers,
    areDone: () => waiting === 0,
    stop: () => {
      stopped = true;
    },
  };
}
