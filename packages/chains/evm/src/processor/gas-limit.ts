// Gas limit of a lane's transaction, by formula. An estimate would cost one more call and is wrong as soon as another
// transaction lands first. Unused gas is not paid for, so every constant is the processor's worst case: an intent code
// in a fresh word of the bitmap, a recipient whose share goes to escrow. Direct payments are measured by the same stipend
// and the same rule, which `DirectBatch` shares with the processor.
//
// A payer's account can become a contract after the simulation (EIP-7702) and burn the whole stipend of each of its
// transfers. The processor reverts a batch that has no stipend left for the next transfer. So every batch has room for
// the whole stipend of every payment of the payer with most payments in it, and of 25 payments of other payers.
import { isDirect, type LaneItem } from '@svc-pay/core';
import { size } from 'viem';

/** Gas that the processor allows one transfer of a token, unless its operator configured more. */
export const DEFAULT_CALL_GAS = 200_000n;

/**
 * Intrinsic cost, role checks, hourly cap, the fee's leg and a reserve; without the gas that must remain at every call.
 */
const BASE = 400_000n;
const PULL = 60_000n;
const REFUND = 12_000n;
const BITMAP_WORD = 23_000n;
const GROUP = 12_000n;
const LEG = 60_000n;
/** Gas that a contract wallet may burn to verify its signature; the same limit as at verification. */
const WALLET = 500_000n;
const PERMIT = 120_000n;
/** First transfer of a token to a wallet. */
const NEW_WALLET = 30_000n;
/** Intrinsic cost, calldata without its signature, and a reserve, of a call of the token itself. */
const SINGLE_TRANSFER = 60_000n;
/** The most that a chain charges for a byte of calldata. */
const CALLDATA_BYTE = 40n;
/** Payments that may each burn the whole stipend, besides those of the payer with most payments in the batch. */
const OTHER_BURNERS = 25;

export type GasMeter = {
  /** Gas of the transaction with this item added. */
  readonly upTo: (item: LaneItem) => bigint;
  readonly add: (item: LaneItem) => void;
  readonly total: () => bigint;
};

export function createGasMeter(callGas: bigint): GasMeter {
  let needed = BASE + callGas;
  let items = 0;
  let mostOfOnePayer = 0;
  const burnt = callGas > PULL ? callGas - PULL : 0n;
  const ofPayer = new Map<string, number>();
  const payouts = new Set<bigint>();
  const words = new Set<bigint>();
  const needs = (item: LaneItem) => {
    let gas = PULL;
    if (isDirect(item)) return payouts.has(item.payout.id) ? gas : gas + NEW_WALLET;
    if (item.settledAtomic < item.capAtomic) gas += REFUND;
    if (!words.has(item.intentCode >> 8n)) gas += BITMAP_WORD;
    if (!payouts.has(item.payout.id)) gas += GROUP + LEG * (1n + BigInt(item.payout.splits.length));
    if (item.byContract) gas += WALLET;
    if (item.kind === 'permit') gas += PERMIT;
    return gas;
  };
  const burners = (count: number, most: number) => burnt * BigInt(Math.min(count, most + OTHER_BURNERS));
  const countOf = ({ payer }: LaneItem) => (ofPayer.get(payer) ?? 0) + 1;
  return {
    upTo: (item) => needed + needs(item) + burners(items + 1, Math.max(mostOfOnePayer, countOf(item))),
    add: (item) => {
      needed += needs(item);
      items += 1;
      const count = countOf(item);
      ofPayer.set(item.payer, count);
      mostOfOnePayer = Math.max(mostOfOnePayer, count);
      payouts.add(item.payout.id);
      words.add(item.intentCode >> 8n);
    },
    total: () => needed + burners(items, mostOfOnePayer),
  };
}

/** Gas of a direct payment that calls the token itself. A payer that burns gas burns no more than the stipend. */
export function singleTransferGas({ byContract, signature }: LaneItem, callGas: bigint): bigint {
  const gas = SINGLE_TRANSFER + callGas;
  return byContract ? gas + WALLET + CALLDATA_BYTE * BigInt(size(signature as `0x${string}`)) : gas;
}

export function gasLimit(items: readonly LaneItem[], callGas: bigint): bigint {
  const meter = createGasMeter(callGas);
  for (const item of items) meter.add(item);
  return meter.total();
}
