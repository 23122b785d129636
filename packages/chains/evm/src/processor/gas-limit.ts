// Gas limit of a lane's transaction, by formula. An estimate would cost one more call and is wrong as soon as another
// transaction lands first. Unused gas is not paid for, but it takes room from further payments, so every constant is what
// the shape needs at worst on Circle's USDC behind its proxy, and a tenth more: an intent code in a fresh word of the
// bitmap, a recipient that never held the token or whose share goes to escrow. What the processor did before in the same
// batch is cheaper the second time: a payout's terms and a recipient's balance are read once. Direct payments are measured
// by the same stipend and the same rule, which `DirectBatch` shares with the processor.
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
const PULL = 61_500n;
/** A payment's share for one split. */
const SHARE = 600n;
const REFUND = 7_000n;
const BITMAP_WORD = 23_000n;
/** A payout's terms, and their hash for bound nonces. */
const GROUP = 6_000n;
const SPLIT = 2_000n;
/** First transfer to a recipient in this batch: to an empty wallet, or refused and kept for it in escrow. */
const FIRST_LEG = 34_000n;
const NEXT_LEG = 12_000n;
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
  /** Gas of the transaction if nobody burns a stipend. */
  readonly needed: () => bigint;
  /** Part of the room that the items take of a transaction with `mostGas`, beside what every transaction reserves. */
  readonly filled: (mostGas: bigint) => number;
};

export function createGasMeter(callGas: bigint): GasMeter {
  const empty = BASE + callGas;
  let needed = empty;
  let items = 0;
  let mostOfOnePayer = 0;
  const burnt = callGas > PULL ? callGas - PULL : 0n;
  const ofPayer = new Map<string, number>();
  const payouts = new Set<bigint>();
  const words = new Set<bigint>();
  const recipients = new Set<string>();
  const needs = (item: LaneItem) => {
    let gas = PULL;
    if (isDirect(item)) return payouts.has(item.payout.id) ? gas : gas + NEW_WALLET;
    gas += SHARE * BigInt(item.payout.splits.length);
    if (item.settledAtomic < item.capAtomic) gas += REFUND;
    if (!words.has(item.intentCode >> 8n)) gas += BITMAP_WORD;
    if (!payouts.has(item.payout.id)) gas += groupGas(item.payout, recipients);
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
      for (const recipient of recipientsOf(item.payout)) recipients.add(recipient);
      words.add(item.intentCode >> 8n);
    },
    total: () => needed + burners(items, mostOfOnePayer),
    needed: () => needed,
    filled: (mostGas) => Number(needed - empty) / Number(mostGas - empty - burners(items, mostOfOnePayer)),
  };
}

const recipientsOf = ({ merchant, splits }: LaneItem['payout']) => [merchant, ...splits.map(({ to }) => to)];

/** A payout's first payment in a batch pays for reading its terms and for its transfers, whatever the further ones add. */
function groupGas(payout: LaneItem['payout'], paid: ReadonlySet<string>): bigint {
  const recipients = recipientsOf(payout);
  const first = new Set(recipients.filter((recipient) => !paid.has(recipient))).size;
  return (
    GROUP +
    SPLIT * BigInt(payout.splits.length) +
    FIRST_LEG * BigInt(first) +
    NEXT_LEG * BigInt(recipients.length - first)
  );
}

/** Gas of a direct payment that calls the token itself. A payer that burns gas burns no more than the stipend. */
export function singleTransferGas({ byContract, signature }: LaneItem, callGas: bigint): bigint {
  const gas = SINGLE_TRANSFER + callGas;
  return byContract ? gas + WALLET + CALLDATA_BYTE * BigInt(size(signature as `0x${string}`)) : gas;
}

export function meterOf(items: readonly LaneItem[], callGas: bigint): GasMeter {
  const meter = createGasMeter(callGas);
  for (const item of items) meter.add(item);
  return meter;
}

export const gasLimit = (items: readonly LaneItem[], callGas: bigint): bigint => meterOf(items, callGas).total();
