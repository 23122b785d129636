// RestoreStore in memory.
import { type Id, newId } from '@svc-pay/protocol/ids';
import {
  adoptPayment,
  type BatchFacts,
  type BatchOfPayment,
  type CarriedPayment,
  type Clock,
  decideRestoredBatch,
  decideRestoredPayment,
  type LaneLease,
  laneKey,
  type Mode,
  NO_LINK,
  type OnChainTransaction,
  RESTORED_BATCH,
  type RestoredPayment,
  type RestoredTransaction,
  type RestoreStore,
  raisedNonce,
  STAND_IN_KEY,
  type StoredPaymentState,
} from '../index.ts';
import { linkPayments } from './memory-payment-results.ts';
import { queueSettlement, seedAuthorization } from './memory-seed.ts';
import { type BatchRow, hexKey, isPendingBatch, type Statement, type Tables } from './memory-tables.ts';

export type MemoryPayout = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly terms: { readonly id: bigint; readonly merchant: string; readonly feeBps: number; readonly splits: [] };
};

const GIVEN_UP: readonly string[] = ['replaced', 'dropped'];

/** Every payment is of one payout. */
export function createMemoryRestoreStore(
  tables: Tables,
  statement: Statement,
  clock: Clock,
  payout: MemoryPayout,
): RestoreStore {
  const { relayers, batches } = tables;
  const leasedRow = (lease: LaneLease) => {
    const row = relayers.get(laneKey(lease));
    return row?.epoch === lease.epoch ? row : undefined;
  };
  const recorded = (network: string) =>
    [...batches.values()].filter(({ status, ...row }) => row.network === network && /mined|finalized/.test(status));
  return {
    loadLanes: (network) =>
      statement('loadLanes', () =>
        [...relayers.values()].map(({ address, duty, nextNonce }) => ({ network, relayer: address, duty, nextNonce })),
      ),
    loadProcessors: () => statement('loadProcessors', () => []),
    loadWallets: async () => [],
    findStrandedClaim: async () => ({ recorded: false, claimedAtSeconds: undefined }),
    restoreStranded: async () => ({ ok: false, reason: 'the memory store restores no stranded transfers' }),
    hasTransaction: async () => false,
    loadTransferPayouts: async () => [],
    restoreTransfer: async ({ relayer }) => {
      throw new Error(`the memory store has no transfers of ${relayer}: no simulated chain has them`);
    },
    loadRecordedBlocks: (network) =>
      statement('loadRecordedBlocks', () => {
        const blocks = recorded(network).flatMap(({ blockNumber }) => blockNumber ?? []);
        const finals = recorded(network).filter(({ status }) => status === 'finalized');
        return {
          finalBlock: highest(finals.flatMap(({ blockNumber }) => blockNumber ?? [])),
          firstBlock: lowest(blocks),
          unbroken: [...relayers.values()].flatMap(({ address }) => unbrokenOf(tables, address)),
        };
      }),
    loadOpenRestore: async () => undefined,
    openRestore: async (_, open) => open,
    closeRestore: async () => undefined,
    findUnknownPayouts: async () => [],
    skipUsedIntentCodes: async () => 1,
    addLostLane: async () => false,
    restoreTransaction: (lease, onChain) =>
      statement('restoreTransaction', () => {
        const row = leasedRow(lease);
        if (row === undefined) return undefined;
        const { id, was } = restoreBatch(tables, onChain, clock.nowMs());
        const batch = { id, recorded: was === 'recorded' };
        const payments = onChain.settled.map((carried) => ({
          ...restorePayment(tables, { lease, batch, carried, payout, nowMs: clock.nowMs() }),
          carried,
        }));
        row.nextNonce = raisedNonce(row.nextNonce, onChain.nonce + 1n);
        return { batch: was, payments };
      }),
    findMissingNonces: ({ relayer }, from, count) =>
      statement('findMissingNonces', () => {
        const used = new Set(ofRelayer(tables, relayer).map(({ nonce }) => nonce));
        const missing: bigint[] = [];
        for (let nonce = lowest([...used, from]) ?? from; nonce < count; nonce += 1n) {
          if (!used.has(nonce)) missing.push(nonce);
        }
        return missing;
      }),
    liftLane: (lease, count) =>
      statement('liftLane', () => {
        const row = leasedRow(lease);
        if (row === undefined) return undefined;
        const nextNonce = raisedNonce(row.nextNonce, count);
        Object.assign(row, { nextNonce, obstacle: null, obstacleSinceMs: null, awake: false });
        return nextNonce;
      }),
  };
}

const highest = (values: readonly bigint[]) =>
  values.reduce<bigint | undefined>((most, value) => (most === undefined || value > most ? value : most), undefined);
const lowest = (values: readonly bigint[]) =>
  values.reduce<bigint | undefined>(
    (least, value) => (least === undefined || value < least ? value : least),
    undefined,
  );

const ofRelayer = ({ batches }: Tables, relayer: string) =>
  [...batches.values()].filter((batch) => batch.relayer === relayer);

/** The nonce up to which the batches of the relayer with a known end have no gap. */
function unbrokenOf(tables: Tables, relayer: string) {
  const known = ofRelayer(tables, relayer)
    .filter((batch) => !isPendingBatch(batch))
    .toSorted((one, other) => (one.nonce < other.nonce ? -1 : 1));
  const [first] = known;
  if (first === undefined) return [];
  let [nonce, block] = [first.nonce, first.blockNumber ?? undefined];
  for (const batch of known) {
    if (batch.nonce > nonce + 1n) break;
    nonce = batch.nonce;
    block = highest([block, batch.blockNumber].flatMap((one) => one ?? []));
  }
  return [{ relayer, nonce, block }];
}

function restoreBatch(
  tables: Tables,
  onChain: OnChainTransaction,
  nowMs: number,
): { readonly id: string; readonly was: RestoredTransaction['batch'] } {
  const { network, relayer, nonce, transactionId, raw, carried } = onChain;
  const kept = ofRelayer(tables, relayer).filter(({ status }) => !GIVEN_UP.includes(status));
  const holds = ({ transactions }: BatchRow) => transactions.some((own) => own.transactionId === transactionId);
  const ofNonce = kept.find((batch) => batch.nonce === nonce);
  const facts = {
    ofTransaction: kept.find(holds),
    ofNonce: ofNonce && { ...ofNonce, intentCodes: codesOf(tables, ofNonce.id) },
  } as BatchFacts;
  const decided = decideRestoredBatch(onChain, facts);
  const transaction = { transactionId, raw, signedAtMs: nowMs };
  if (decided.step === 'contradiction') throw new Error(decided.reason);
  if (decided.step === 'keep') return { id: decided.batchId, was: decided.was };
  if (decided.step === 'add_transaction') {
    tables.batches.get(decided.batchId)?.transactions.push(transaction);
    return { id: decided.batchId, was: 'pending' };
  }
  if (decided.giveUp !== undefined) giveUp(tables, decided.giveUp, nowMs);
  const id = newId('batch', nowMs);
  tables.batches.set(id, {
    id,
    network,
    relayer,
    nonce,
    itemCount: onChain.form === 'refund' ? 1 : carried.length,
    status: RESTORED_BATCH,
    transactionId,
    blockNumber: null,
    blockHash: null,
    gasBooked: false,
    linkedTo: null,
    seenIn: null,
    updatedAtMs: nowMs,
    transactions: [transaction],
  });
  return { id, was: 'missing' };
}

const codesOf = ({ settlements }: Tables, id: string) =>
  [...settlements.values()].filter(({ batchId }) => batchId === id).map(({ item }) => item.intentCode);

function giveUp(tables: Tables, id: string, nowMs: number): void {
  Object.assign(tables.batches.get(id) ?? {}, { status: 'replaced', linkedTo: null, seenIn: null });
  for (const row of tables.settlements.values()) {
    if (row.batchId !== id || row.status !== 'batched') continue;
    Object.assign(row, { status: 'queued', relayer: null, batchId: null });
    linkPayments(tables, [{ item: row.item, link: NO_LINK, requestId: id }], nowMs);
  }
}

type ToRestore = {
  readonly lease: LaneLease;
  readonly batch: BatchOfPayment;
  readonly carried: CarriedPayment;
  readonly payout: MemoryPayout;
  readonly nowMs: number;
};

function restorePayment(tables: Tables, given: ToRestore): RestoredPayment {
  const { batch, carried, lease } = given;
  const stored = storedStateOf(tables, carried);
  const said = {
    intentId: stored.claim?.intentId ?? stored.owner?.intentId ?? null,
    accountId: stored.claim?.accountId ?? stored.owner?.accountId ?? null,
    standIn: stored.owner?.standIn ?? false,
  };
  const decided = decideRestoredPayment(carried, batch, stored);
  if (decided.step === 'known') return { ...said, outcome: 'known' };
  if (decided.step === 'refuse') return { ...said, outcome: 'refused', reason: decided.reason };
  if (decided.step === 'bind') {
    const row = tables.settlements.get(decided.settlement.paymentId);
    Object.assign(row ?? {}, { status: 'batched', relayer: lease.relayer, batchId: batch.id });
    Object.assign(tables.batches.get(batch.id) ?? {}, { linkedTo: null, seenIn: null });
    return { ...said, outcome: 'bound' };
  }
  // The memory store keeps no acceptances: an intent without its claim cannot be resumed.
  if (decided.step === 'resume') return { ...said, outcome: 'refused', reason: 'its intent never offered these terms' };
  return adopt(tables, given);
}

function adopt(tables: Tables, { lease, batch, carried, payout, nowMs }: ToRestore): RestoredPayment {
  const { intentCode } = carried;
  const facts = { network: lease.network, carried, intentCode, batchId: batch.id, payoutOwner: payout, nowMs };
  const decided = adoptPayment(facts);
  const nobody = { intentId: null, accountId: null, standIn: false };
  if (decided.step === 'refuse') return { ...nobody, outcome: 'refused', reason: decided.reason };
  const { standIn, rows } = decided;
  const eventSequence = rows.events.length;
  tables.intents.set(standIn.id, { intent: standIn, paymentId: null, version: 1, eventSequence });
  const { direct, ...signed } = rows.carried;
  const terms = { ...signed, payout: payout.terms, ...(direct && { direct: { bound: false, unusedAtBlock: 0n } }) };
  const key = seedAuthorization(tables, standIn, terms, nowMs);
  const { settledAtomic } = carried;
  const row = queueSettlement(tables, key, { nowMs, status: 'queued', settledAtomic });
  Object.assign(row, { status: 'batched', relayer: lease.relayer, batchId: batch.id });
  return { outcome: 'adopted', intentId: standIn.id, accountId: standIn.accountId, standIn: true };
}

function storedStateOf(
  { authorizations, settlements, stranded, intents }: Tables,
  carried: CarriedPayment,
): StoredPaymentState {
  const key = hexKey(carried.claimKey);
  const signed = authorizations.get(key);
  const row = settlements.get(signed?.paymentId ?? '');
  const owner = [...intents.values()].find(({ intent }) => BigInt(intent.intentCode) === carried.intentCode)?.intent;
  const settlement = row && {
    accountId: row.item.accountId,
    mode: row.item.mode,
    paymentId: row.item.paymentId,
    status: row.status,
    batchId: row.batchId,
    settledAtomic: row.item.settledAtomic,
    stranded: stranded.has(key),
  };
  return {
    claim: signed && { accountId: signed.accountId, intentId: signed.intentId, settlement },
    owner: owner && {
      accountId: owner.accountId,
      mode: owner.mode,
      intentId: owner.id,
      standIn: STAND_IN_KEY in owner.serviceMetadata,
    },
  };
}
