// How much gas a lane's transaction is given. By formula, not by estimation: an estimate is one more question to a node,
// and it is wrong as soon as another transaction lands first. What is not burned is not paid, so every figure is the
// worst that the processor can need: a code in a fresh word of the bitmap, a recipient whose part goes to escrow.
import type { LaneItem } from '@svc-pay/core';

/** What the processor allows for one transfer of the token unless its operator set more. */
export const DEFAULT_CALL_GAS = 200_000n;

/** The intrinsic cost, roles, the hourly cap, the fee's leg, and room; on top comes what must be left at every call. */
const BASE = 400_000n;
const PULL = 60_000n;
const REFUND = 12_000n;
const BITMAP_WORD = 23_000n;
const GROUP = 12_000n;
const LEG = 60_000n;
/** What a contract wallet may burn to answer for its signature, as at verification. */
const WALLET = 500_000n;
const PERMIT = 120_000n;

export type GasMeter = {
  /** What the transaction would need with this item in it. */
  readonly upTo: (item: LaneItem) => bigint;
  readonly add: (item: LaneItem) => void;
  readonly total: () => bigint;
};

export function createGasMeter(callGas: bigint): GasMeter {
  let total = BASE + callGas;
  const payouts = new Set<bigint>();
  const words = new Set<bigint>();
  const needs = (item: LaneItem) => {
    let gas = PULL;
    if (item.settledAtomic < item.capAtomic) gas += REFUND;
    if (!words.has(item.intentCode >> 8n)) gas += BITMAP_WORD;
    if (!payouts.has(item.payout.id)) gas += GROUP + LEG * (1n + BigInt(item.payout.splits.length));
    if (item.byContract) gas += WALLET;
    if (item.kind === 'permit') gas += PERMIT;
    return gas;
  };
  return {
    upTo: (item) => total + needs(item),
    add: (item) => {
      total += needs(item);
      payouts.add(item.payout.id);
      words.add(item.intentCode >> 8n);
    },
    total: () => total,
  };
}

export function gasLimit(items: readonly LaneItem[], callGas: bigint): bigint {
  const meter = createGasMeter(callGas);
  for (const item of items) meter.add(item);
  return meter.total();
}
