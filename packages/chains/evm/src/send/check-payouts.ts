// Leaves out of a simulation the direct payments whose payout is not soundly activated: nothing is signed for them. Rows
// of the database alone never decide which wallet a payment is submitted for.
import { type LaneItem, type PayoutActivation, type SimulatedOutcome, type SimulationResult } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { CheckActivation } from '../payout/check-activation.ts';
import { askChain, askLatestBlock, blockTimeOf } from '../rpc/ask-chain.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

export type PayoutCheck = {
  readonly network: NetworkId;
  readonly rpc: JsonRpc;
  readonly voters: () => Promise<readonly JsonRpc[]>;
  /** Without it no direct payment is sent. */
  readonly checkActivation: CheckActivation | undefined;
};

type Unusable = Extract<SimulatedOutcome, 'withdrawn' | 'unsure'>;

/** Simulates the payments that may be sent; the others are `withdrawn`, or `unsure` while a wallet cannot be asked. */
export async function simulateActivated(
  payouts: PayoutCheck,
  items: readonly LaneItem[],
  simulate: (items: readonly LaneItem[]) => Promise<SimulationResult>,
): Promise<SimulationResult> {
  const unusable = await findUnusable(payouts, items);
  if (unusable.size === 0) return simulate(items);
  const rest = items.filter((item) => !unusable.has(item));
  if (rest.length === 0) {
    const [block] = await askChain(payouts.rpc, [askLatestBlock]);
    return {
      ok: true,
      outcomes: items.map((item) => unusable.get(item) ?? 'unsure'),
      chainTimeSeconds: blockTimeOf(block),
    };
  }
  const simulated = await simulate(rest);
  if (!simulated.ok) return simulated;
  const outcomes = new Map(rest.map((item, index) => [item, simulated.outcomes[index]]));
  return { ...simulated, outcomes: items.map((item) => unusable.get(item) ?? outcomes.get(item) ?? 'unsure') };
}

async function findUnusable(
  payouts: PayoutCheck,
  items: readonly LaneItem[],
): Promise<ReadonlyMap<LaneItem, Unusable>> {
  const verdicts = new Map<string, Unusable | undefined>();
  const unusable = new Map<LaneItem, Unusable>();
  for (const item of items) {
    const { direct } = item.payout;
    if (direct === undefined) continue;
    const { accountId, mode, asset, processor, payout } = item;
    const key = [accountId, mode, asset, processor, payout.id].join(' ');
    if (!verdicts.has(key)) verdicts.set(key, await checkPayout(payouts, item, direct));
    const verdict = verdicts.get(key);
    if (verdict !== undefined) unusable.set(item, verdict);
  }
  return unusable;
}

async function checkPayout(
  { network, voters, checkActivation }: PayoutCheck,
  { accountId, mode, asset, processor, payout }: LaneItem,
  activation: PayoutActivation,
): Promise<Unusable | undefined> {
  if (checkActivation === undefined) return 'withdrawn';
  const used = { accountId, mode, network, asset, wallet: processor, number: payout.id };
  const verdict = await checkActivation(used, activation, voters);
  if (verdict.ok) return undefined;
  return verdict.code === 'chain_unavailable' ? 'unsure' : 'withdrawn';
}
