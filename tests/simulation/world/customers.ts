// Brings the plan to life: payers sign, merchants decide, strangers submit what they have seen.
import { LANE_DRAIN } from '@svc-pay/core';
import type { AuthorizationRow } from '@svc-pay/core/testing';
import type { NetworkId } from '@svc-pay/protocol';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import type { FakeEngine } from './fake-engine.ts';
import { cancelIntent, expireIntents, settleUpto, takeAuthorization } from './merchant.ts';
import type { Buyer } from './plan-buyers.ts';
import type { Simulation } from './simulation.ts';

export type Customers = {
  /** By the key of their authorization, as hex. */
  readonly buyers: ReadonlyMap<string, Buyer>;
  /** Everybody has signed, every merchant has decided, every stranger has submitted. */
  readonly areDone: () => boolean;
  /** No intent expires any longer. */
  readonly stop: () => void;
};

const EXPIRY_EVERY_MS = 1_000;

export function bringCustomers(
  simulation: Simulation,
  network: NetworkId,
  chain: SimulatedChain,
  engines: readonly FakeEngine[],
  planned: readonly Buyer[],
  withinMs: number,
): Customers {
  const { timeline, clock, dice, tables, note, strikes } = simulation;
  const buyers = new Map<string, Buyer>();
  let waiting = planned.length;
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
  const decide = (key: string, { upto, settledAtomic }: Buyer) => {
    if (upto?.decision === 'cancel') {
      note('merchant', `cancels the intent of ${key.slice(0, 8)}`);
      cancelIntent(tables, key);
    } else if (settleUpto(tables, key, settledAtomic, clock.nowMs())) {
      note('merchant', `settles ${key.slice(0, 8)}`);
      wakeLanes();
    }
  };
  for (const buyer of planned) {
    timeline.after(dice.roll() * withinMs, () => {
      const key = takeAuthorization(simulation, network, buyer, clock.nowMs());
      buyers.set(key, buyer);
      waiting -= 1;
      const { paymentId, intentId } = tables.authorizations.get(key) as AuthorizationRow;
      note('api', `${paymentId ?? intentId} is signed, ${key.slice(0, 8)}, ${buyer.isSound ? 'sound' : 'doubtful'}`);
      const { upto, stranger, validForSeconds } = buyer;
      if (upto === undefined) wakeLanes();
      else if (upto.decision !== 'leave') later(upto.afterMs, () => decide(key, buyer));
      // Stranded money of an intent that nobody settles goes back when the intent expires.
      else if (stranger !== undefined) later(validForSeconds * 1_000, () => expireIntents(tables, clock.nowMs()));
      if (stranger !== undefined) {
        later(stranger.afterMs, () => {
          const signed = tables.authorizations.get(key) as AuthorizationRow;
          if (strikes('authorization submitted', 1))
            chain.submit({ ...signed, to: signed.processor, gift: stranger.gift });
        });
      }
    });
  }
  let stopped = false;
  const expire = () => {
    if (stopped) return;
    expireIntents(tables, clock.nowMs());
    timeline.after(EXPIRY_EVERY_MS, expire);
  };
  timeline.after(EXPIRY_EVERY_MS, expire);
  const stop = () => {
    stopped = true;
  };
  return { buyers, areDone: () => waiting === 0, stop };
}
