// One round of a lane against ports that answer as a test says.
import { evmNetwork } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import type { SoloBudget } from '../budget/judge-wallet.ts';
import { laneRound } from '../lane/drain-lane.ts';
import type { LaneItem, PendingBatch, SignedTransaction } from '../lane/lane.ts';
import type { ExpiringChain, SequencedChain } from '../lane/lane-chain.ts';
import type { LaneDeps, LanePace } from '../lane/lane-deps.ts';
import { createInlineRecorder } from '../lane/lane-recorder.ts';
import type { LaneLease, LaneState, LaneStore } from '../lane/lane-store.ts';

export const NOW_MS = 1_000_000;
export const LEASE: LaneLease = { network: evmNetwork(84_532), relayer: `0x${'5e'.repeat(20)}`, epoch: 1n };
const STATE: LaneState = { nextNonce: 7n, open: true, share: { index: 0, count: 1 }, obstacle: null };
export const PACE: LanePace = {
  maxInFlight: 4,
  gatherMs: 100,
  pollMs: 0,
  resendMs: 1_000,
  linkMs: 0,
  bumpMs: 5_000,
  deferMs: 0,
  troubleMs: 0,
};

export const item = (paymentId: string): LaneItem =>
  ({
    paymentId,
    processor: 'p',
    asset: 'a',
    settledAtomic: 1n,
    validBeforeSeconds: 99n,
    payout: { id: 1n },
  }) as LaneItem;
export const refund = (paymentId: string): LaneItem => ({
  ...item(paymentId),
  refund: { id: newId('refund', NOW_MS) },
});
export const idsOf = (items: readonly LaneItem[]) => items.map(({ paymentId }) => paymentId).join(',');
export const transaction = (transactionId: string, signedAtMs = NOW_MS): SignedTransaction => ({
  transactionId,
  raw: Buffer.from(transactionId),
  signedAtMs,
});
/** A batch that was broadcast long ago, under this nonce. */
export const pending = (nonce: bigint, batch: Partial<PendingBatch> = {}): PendingBatch => ({
  id: `batch ${nonce}`,
  nonce,
  status: 'broadcast',
  sentAtMs: NOW_MS - PACE.resendMs,
  transactions: [transaction(`tx ${nonce}`)],
  items: [{ ...item(`paid ${nonce}`), confirmations: 2 }],
  ...batch,
});

type RoundWorld = {
  readonly state?: Partial<LaneState>;
  readonly pendingBatches?: readonly PendingBatch[];
  readonly queue?: readonly LaneItem[];
  readonly refunds?: readonly LaneItem[];
  readonly budget?: Partial<SoloBudget>;
  readonly oldestAtMs?: number;
  readonly pace?: Partial<LanePace>;
  /** Pending batches that an earlier round found mined, and that are being recorded. */
  readonly recording?: readonly string[];
  /** Gets the batches that the round links, and to which transaction. */
  readonly links?: string[];
};

/** Runs one round against ports that answer as given. Returns its end and every write and broadcast, in order. */
export async function roundOn<Chain extends SequencedChain | ExpiringChain>(
  family: Chain,
  {
    state = {},
    pendingBatches = [],
    queue = [],
    refunds = [],
    budget = {},
    oldestAtMs = 0,
    pace = {},
    recording = [],
    links = [],
  }: RoundWorld,
  chain: Partial<Chain> = {},
) {
  const done: string[] = [];
  const note = <Result>(what: string, result: Result): Result => {
    done.push(what);
    return result;
  };
  const store: Partial<LaneStore> = {
    heartbeat: async () => ({ ...STATE, ...state }),
    loadPendingBatches: async () => pendingBatches,
    peekQueue: async () => ({ count: queue.length, oldestAtMs, solo: false, refunds: refunds.length > 0 }),
    loadQueue: async (_lane, _share, limit) => queue.slice(0, limit),
    loadRefundQueue: async (_lane, _share, limit) => refunds.slice(0, limit),
    loadSoloBudgets: async (_lane, items) => items.map(() => ({ proven: false, ...budget }) as SoloBudget),
    recordUnsent: async (_lease, unsent) =>
      note(`unsent ${unsent.map(({ item: one, outcome }) => `${one.paymentId} ${outcome}`).join(',')}`, true),
    storeBatches: async (_lease, batches) =>
      note(`store ${batches.map(({ nonce, items }) => `${nonce}:${idsOf(items)}`).join(' ')}`, true),
    storeTransaction: async (_lease, batchId, { transactionId }) => note(`store ${transactionId} of ${batchId}`, true),
    recordAttempts: async (_lease, attempts) => {
      links.push(...attempts.flatMap(({ batch, link }) => (link === undefined ? [] : [`${batch.id} to ${link}`])));
    },
    recordSeen: async (_lease, found) => note(`see ${found.map(({ batch }) => batch.id).join(',')}`, true),
    recordMined: async (_lease, found) => note(`record ${found.map(({ batch }) => batch.id).join(',')}`, true),
    recordReplaced: async (_lease, batchId) => note(`give up ${batchId}`, true),
    noteObstacle: async (_lease, obstacle) => note(`obstacle ${obstacle}`, undefined),
    defer: async (_lease, items, untilMs) => {
      if (untilMs >= NOW_MS + 60_000) note(`defer ${idsOf(items)}`, undefined);
    },
  };
  const deps = {
    store,
    chain: {
      ...family,
      broadcast: async (raw: Uint8Array) => note(`broadcast ${Buffer.from(raw).toString()}`, { outcome: 'known' }),
      ...chain,
    },
    clock: { nowMs: () => NOW_MS },
    pace: { ...PACE, ...pace },
    log: () => {},
  };
  const own = deps as unknown as LaneDeps;
  const recorder = { ...createInlineRecorder(own, LEASE), underWay: () => new Set(recording) };
  return { end: await laneRound(own, LEASE, recorder), done };
}

export const common = {
  simulate: async (items: readonly LaneItem[]) => ({
    ok: true as const,
    outcomes: items.map(() => 'settled' as const),
    chainTimeSeconds: 0n,
  }),
  sign: async (items: readonly LaneItem[]) => transaction(`tx of ${idsOf(items)}`),
  affords: async () => true,
  broadcast: async () => ({ outcome: 'known' as const }),
  findMined: async () => [],
};
export const SEQUENCED: SequencedChain = {
  ...common,
  kind: 'sequenced',
  fit: (queue) => ({ items: queue, filled: queue.length / 200 }),
  raise: async ({ transactionId }) => transaction(`bumped ${transactionId}`),
  findReplaced: async (batches) => batches.map(({ id }) => id),
  minedNonce: async () => 7n,
  nonceRange: async () => ({ lowest: 7n, highest: 7n }),
};
export const EXPIRING: ExpiringChain = { ...common, kind: 'expiring', findExpired: async () => [] };
