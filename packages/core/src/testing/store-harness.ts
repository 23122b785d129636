// What the contract suites of the stores need of a store under test, and steps that several suites take.
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type {
  ClaimedPayment,
  FinalityStore,
  Lane,
  LaneItem,
  LaneLease,
  LaneStore,
  MinedBatch,
  MinedItem,
  OpenAuthorization,
  PendingBatch,
  StrandedStore,
} from '../index.ts';
import { FIRST_AUTHORIZATION } from '../index.ts';

export type StoreHarness = {
  readonly network: NetworkId;
  /** Two lanes that settle payments. */
  readonly lanes: readonly [Lane, Lane];
  /** The lane of stranded transfers. */
  readonly recovery: Lane;
  readonly settling: LaneStore;
  readonly resolving: LaneStore;
  readonly finality: FinalityStore;
  readonly stranded: StrandedStore;
  readonly findForgottenLanes: (silentSinceMs: number) => Promise<readonly Lane[]>;
  /** The time that the stores see. */
  readonly nowMs: () => number;
  readonly pass: (ms: number) => void;
  /** A payment as the API claims it, in the queue. */
  readonly queuePayment: () => Promise<string>;
  /** A refund of all that the completed payment has, signed and in the queue; answers its id. */
  readonly queueRefund: (paymentId: string) => Promise<string>;
  /** An up-to intent with a confirmed authorization and no payment. */
  readonly confirmUpto: () => Promise<string>;
  /** The merchant settles it; answers the payment. */
  readonly settleUpto: (intentId: string, settledAtomic: bigint) => Promise<string>;
  readonly cancelIntent: (intentId: string) => Promise<void>;
  readonly read: () => Promise<StoredRows>;
};

/** What a store has written, in an order of its own. */
export type StoredRows = {
  readonly payments: readonly {
    readonly id: string;
    readonly status: string;
    readonly transaction: string | null;
    readonly split: string | null;
    readonly paid: bigint | null;
    readonly fee: bigint | null;
    readonly refund: bigint | null;
    readonly paidTotal: bigint | null;
    readonly refundDue: bigint | null;
    readonly requested: bigint | null;
    readonly splits: readonly { readonly recipient: string; readonly amount: string }[] | null;
    readonly failure: string | null;
    readonly settlement: string;
    readonly relayer: string | null;
    readonly batch: string | null;
    readonly limit: number | null;
    readonly refusal: string | null;
    readonly intent: string;
    readonly intentStatus: string;
    /** The intent names this payment. */
    readonly named: boolean;
  }[];
  readonly entries: readonly {
    readonly payment: string;
    readonly asset: string;
    readonly account: string;
    readonly party: string;
    readonly amount: bigint;
    readonly transaction: string;
    /** Neither a reversal nor reversed. */
    readonly live: boolean;
  }[];
  readonly losses: readonly {
    readonly batch: string;
    readonly payment: string | null;
    readonly cause: string;
    readonly amount: bigint;
    readonly transaction: string;
    readonly live: boolean;
  }[];
  readonly batches: readonly {
    readonly id: string;
    readonly status: string;
    readonly transaction: string;
    readonly gasBooked: boolean;
  }[];
  readonly events: readonly { readonly intent: string; readonly sequence: number; readonly type: string }[];
  readonly stranded: readonly {
    readonly intent: string;
    readonly payment: string | null;
    readonly action: string;
    readonly status: string;
    readonly reason: string | null;
    readonly batch: string | null;
  }[];
  readonly refunds: readonly {
    readonly id: string;
    readonly status: string;
    readonly batch: string | null;
    readonly transaction: string | null;
    readonly refusal: string | null;
  }[];
};

/** What a test relies on to be there. */
export function must<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('a value is missing that the test relies on');
  return value;
}

export const ALL = { index: 0, count: 1 };
export const GAS_COST_ATOMIC = 1_000_003n;

export async function leaseOf(store: LaneStore, lane: Lane): Promise<LaneLease> {
  return { ...lane, epoch: await store.takeOver(lane) };
}

let signedCount = 0;

/** Bytes that no other call signs. */
export function signedBytes(): { readonly transactionId: string; readonly raw: Uint8Array } {
  signedCount += 1;
  const raw = Buffer.from(`signed ${signedCount} ${Math.random()}`);
  return { transactionId: `0x${raw.toString('hex')}`, raw };
}

/** Stores a batch of these items under the lane's next nonce, and marks it as broadcast. */
export async function sendItems(
  { nowMs }: Pick<StoreHarness, 'nowMs'>,
  store: LaneStore,
  lease: LaneLease,
  items: readonly LaneItem[],
): Promise<PendingBatch> {
  const nonce = (await store.heartbeat(lease))?.nextNonce ?? 0n;
  const id = newId('batch', nowMs());
  const signed = signedBytes();
  if (!(await store.storeBatches(lease, [{ id, nonce, signed, items }]))) throw new Error('not stored');
  await store.recordAttempts(lease, [{ batch: { id, items }, taken: true, link: signed.transactionId }]);
  const pending = (await store.loadPendingBatches(lease)).find((batch) => batch.id === id);
  if (pending === undefined) throw new Error(`batch ${id} is not pending`);
  return pending;
}

/** The batch as a block has it. One outcome for all items, or one for each. */
export function minedAs(
  batch: PendingBatch,
  outcomes: MinedItem['outcome'] | readonly MinedItem['outcome'][],
  change: Partial<Pick<MinedBatch, 'blockNumber' | 'blockHash' | 'transactionId' | 'gasCostAtomic'>> = {},
): MinedBatch {
  const outcomeOf = (index: number) => (typeof outcomes === 'string' ? outcomes : (outcomes[index] ?? 'no_evidence'));
  return {
    batchId: batch.id,
    transactionId: batch.transactions[0]?.transactionId ?? '',
    blockNumber: 100n,
    blockHash: '0xb100',
    confirmations: 9n,
    reverted: outcomes === 'reverted',
    gasCostAtomic: GAS_COST_ATOMIC,
    feeRecipient: `0x${'fe'.repeat(20)}`,
    items: batch.items.map(({ paymentId, settledAtomic, payout, strandedTransfer }, index): MinedItem => {
      const outcome = outcomeOf(index);
      if (outcome !== 'settled') return { paymentId, outcome };
      const isReturn = strandedTransfer?.action === 'return';
      const feeAtomic = isReturn ? 0n : (settledAtomic * BigInt(payout.feeBps)) / 10_000n;
      return { paymentId, outcome, logIndex: 2 * index + 1, transferLogIndex: 2 * index, feeAtomic, escrowedFor: [] };
    }),
    ...change,
  };
}

export async function paymentRow(harness: StoreHarness, paymentId: string): Promise<StoredRows['payments'][number]> {
  const row = (await harness.read()).payments.find(({ id }) => id === paymentId);
  if (row === undefined) throw new Error(`no payment ${paymentId}`);
  return row;
}

/** Sum of a payment's entries in an account; of all its accounts without one. */
export function sumOf(rows: StoredRows, paymentId: string, account?: string): bigint {
  return rows.entries
    .filter((entry) => entry.payment === paymentId && (account === undefined || entry.account === account))
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** The payment as the watcher of held payments finds it, after its lane held it. */
export async function holdPayment(harness: StoreHarness, paymentId: string): Promise<ClaimedPayment> {
  const { settling, lanes, stranded, network } = harness;
  const lease = await leaseOf(settling, lanes[0]);
  const item = await queuedItem(harness, paymentId);
  await settling.recordUnsent(lease, [{ item, outcome: 'authorization_used' }]);
  const held = (await stranded.loadHeldPayments(network, 0n, 1_000)).find((one) => one.item.paymentId === paymentId);
  if (held === undefined) throw new Error(`payment ${paymentId} is not held`);
  return held;
}

export async function queuedItem({ settling, lanes }: StoreHarness, paymentId: string): Promise<LaneItem> {
  const item = (await settling.loadQueue(lanes[0], ALL, 1_000)).find((one) => one.paymentId === paymentId);
  if (item === undefined) throw new Error(`payment ${paymentId} is not queued`);
  return item;
}

export async function openAuthorizations({
  stranded,
  network,
}: Pick<StoreHarness, 'stranded' | 'network'>): Promise<readonly OpenAuthorization[]> {
  return stranded.loadOpenAuthorizations(network, FIRST_AUTHORIZATION, 2n ** 62n, 1_000);
}

/** Records the money of a held, failed or canceled payment as stranded, and answers the action. */
export async function strandMoney(
  { stranded, network, nowMs }: StoreHarness,
  payment: ClaimedPayment,
  transactionId = '0xstranded',
): Promise<'settle' | 'return' | 'hold' | undefined> {
  return stranded.recordStranding({ ...payment, network, position: { transactionId, logIndex: 3 } }, nowMs());
}
