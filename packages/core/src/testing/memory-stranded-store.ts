// StrandedStore in memory: held payments, open authorizations and stranded transfers.
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import {
  bookStranding,
  type ClaimedPayment,
  type DecidedMoney,
  type HeldCompletion,
  type HeldMoney,
  type LaneItem,
  liveLosses,
  type MinedBatch,
  NATIVE_ASSET,
  type OpenAuthorization,
  reverseLosses,
  type StrandedStore,
} from '../index.ts';
import { isRevivable, moveSettlements } from './memory-lane-store.ts';
import { completions, failures, writePaymentResults } from './memory-payment-results.ts';
import { queueSettlement } from './memory-seed.ts';
import {
  type AuthorizationRow,
  type BatchRow,
  hexKey,
  isPendingBatch,
  itemOf,
  type SettlementRow,
  type Statement,
  type Tables,
} from './memory-tables.ts';

export function createMemoryStrandedStore(tables: Tables, statement: Statement): StrandedStore {
  const { settlements, authorizations, stranded } = tables;
  const close = (claimKey: string, nowMs: number) => {
    const row = authorizations.get(claimKey);
    if (row?.closedAtMs === null) row.closedAtMs = nowMs;
  };
  return {
    loadOpenAuthorizations: (network, after, beforeSeconds, limit) =>
      statement('loadOpenAuthorizations', () =>
        [...authorizations.values()]
          .filter((row) => row.network === network && row.closedAtMs === null && row.validBeforeSeconds < beforeSeconds)
          .filter((row) => byExpiry(row, after) > 0)
          .toSorted(byExpiry)
          .slice(0, limit)
          .map((row) => openAuthorizationOf(tables, row)),
      ),
    closeAuthorizations: (over, nowMs) =>
      statement('closeAuthorizations', () => {
        for (const { claimKey } of over) close(hexKey(claimKey), nowMs);
      }),
    loadClaimedPayments: (payments) =>
      statement('loadClaimedPayments', () => {
        const rows = payments.flatMap(({ paymentId }) => settlements.get(paymentId ?? '') ?? []);
        return new Map(rows.map((row) => [row.item.paymentId, claimedOf(tables, row)]));
      }),
    loadHeldPayments: (network, afterNumber, limit) =>
      statement('loadHeldPayments', () =>
        [...settlements.values()]
          .filter(({ status, item, claimKey, ...row }) => {
            if (row.network !== network || status !== 'held' || item.number <= afterNumber) return false;
            return !stranded.has(claimKey);
          })
          .toSorted((one, other) => (one.item.number < other.item.number ? -1 : 1))
          .slice(0, limit)
          .map((row) => claimedOf(tables, row)),
      ),
    loadSignedTransactions: (payments) =>
      statement('loadSignedTransactions', () => {
        const signed = new Map<string, readonly string[]>();
        for (const { item } of payments) {
          const row = settlements.get(item.paymentId);
          const ids = new Set([...(row?.revertedBatches ?? []), ...(row?.batchId ? [row.batchId] : [])]);
          const transactions = [...ids].flatMap((id) => tables.batches.get(id)?.transactions ?? []);
          if (transactions.length === 0) continue;
          signed.set(
            item.paymentId,
            transactions.map(({ transactionId }) => transactionId),
          );
        }
        return signed;
      }),
    loadHeldTransactions: (network, paymentIds) =>
      statement('loadHeldTransactions', () => {
        const found = new Map<string, string>();
        for (const paymentId of paymentIds) {
          const row = settlements.get(paymentId);
          const batch = tables.batches.get(row?.batchId ?? '');
          if (row?.network !== network || row.status !== 'held' || batch === undefined) continue;
          if (batch.status === 'mined' || batch.status === 'finalized') found.set(paymentId, batch.transactionId);
        }
        return found;
      }),
    loadHeldMoney: (network, afterNumber, limit) =>
      statement('loadHeldMoney', () =>
        [...stranded.values()]
          .filter((row) => row.network === network && row.status !== 'done' && row.action === 'hold')
          .filter(({ number }) => number > afterNumber)
          .toSorted((one, other) => (one.number < other.number ? -1 : 1))
          .slice(0, limit)
          .map(({ number, accountId, mode, claimKey, intentId, position }) => ({
            number,
            accountId,
            mode,
            claimKey: Buffer.from(claimKey, 'hex'),
            intentId,
            position,
          })),
      ),
    decideHeldMoney: (network, money, nowMs) =>
      statement('decideHeldMoney', () => decideHeldMoney(tables, network, money, nowMs)),
    completeHeld: (network, payment, mined, _gasCoin, nowMs) =>
      statement('completeHeld', () => completeHeld(tables, network, payment, mined, nowMs)),
    failHeld: ({ item }, _code, nowMs) =>
      statement('failHeld', () => {
        const cause = { requestId: newId('batch', nowMs), nowMs };
        writePaymentResults(tables, failures(tables, [item], null, cause), 'held');
      }),
    queueHeld: (payments) =>
      statement('queueHeld', () => {
        const items = payments.map(({ item }) => item).filter((item) => !isRevivable(tables, item));
        moveSettlements(tables, items, ['held'], 'queued');
      }),
    recordStranding: ({ accountId, mode, claimKey, intentId, item, network, position }, nowMs) =>
      statement('recordStranding', () => {
        const key = hexKey(claimKey);
        const status = item === null ? null : settlements.get(item.paymentId)?.status;
        if (stranded.has(key) || (status !== null && !STRANDABLE.includes(status ?? ''))) return undefined;
        const action = status === null ? 'hold' : status === 'held' ? 'settle' : 'return';
        stranded.set(key, {
          number: BigInt(stranded.size + 1),
          accountId: accountId as LaneItem['accountId'],
          mode: mode as LaneItem['mode'],
          claimKey: key,
          intentId: intentId as LaneItem['intentId'],
          network,
          position,
          createdAtMs: nowMs,
          paymentId: item?.paymentId ?? null,
          action,
          status: 'queued',
          reason: null,
          relayer: null,
          batchId: null,
        });
        if (item !== null) tables.entries.push(...bookStranding(network, item, position, { nowMs }));
        close(key, nowMs);
        return action;
      }),
  };
}

const STRANDABLE: readonly string[] = ['held', 'failed', 'canceled'];

type Expiry = Pick<AuthorizationRow, 'validBeforeSeconds' | 'claimKey'>;

function byExpiry(one: Expiry, other: Expiry): number {
  if (one.validBeforeSeconds !== other.validBeforeSeconds) {
    return one.validBeforeSeconds < other.validBeforeSeconds ? -1 : 1;
  }
  return Buffer.compare(one.claimKey, other.claimKey);
}

/** Rounded as the database rounds. */
const secondsOf = (atMs: number) => BigInt(Math.round(atMs / 1_000));

function openAuthorizationOf({ settlements }: Tables, row: AuthorizationRow): OpenAuthorization {
  const { accountId, mode, intentId, claimKey, kind, asset, processor, payer, capAtomic, nonce } = row;
  return {
    ...{ accountId, mode, intentId, claimKey, kind, asset, processor, payer, capAtomic, nonce },
    validBeforeSeconds: row.validBeforeSeconds,
    claimedAtSeconds: secondsOf(row.createdAtMs),
    paymentId: row.paymentId,
    settlement: settlements.get(row.paymentId ?? '')?.status ?? null,
    relayer: null,
    program: null,
  };
}

function claimedOf({ authorizations }: Tables, row: SettlementRow): ClaimedPayment {
  const { accountId, mode, intentId } = row.item;
  const authorization = authorizations.get(row.claimKey);
  if (authorization === undefined) throw new Error(`payment ${row.item.paymentId} has no authorization`);
  return {
    accountId,
    mode,
    intentId,
    claimKey: authorization.claimKey,
    item: itemOf(row),
    settlement: row.status,
    claimedAtSeconds: secondsOf(authorization.createdAtMs),
  };
}

function completeHeld(
  tables: Tables,
  network: NetworkId,
  { item }: ClaimedPayment,
  mined: MinedBatch,
  nowMs: number,
): HeldCompletion {
  const { transactionId } = mined;
  const row = tables.settlements.get(item.paymentId);
  const holds = ({ transactions }: BatchRow) => transactions.some((own) => own.transactionId === transactionId);
  const batch = [...tables.batches.values()].find((one) => one.network === network && holds(one));
  const isRecorded =
    batch?.transactionId === transactionId && (batch.status === 'mined' || batch.status === 'finalized');
  if (batch === undefined || !isRecorded || row?.status !== 'held') {
    return batch !== undefined && (isRecorded || isPendingBatch(batch)) ? 'in_flight' : 'unrecorded';
  }
  Object.assign(row, { relayer: batch.relayer, batchId: batch.id });
  const [part] = mined.items;
  if (part?.outcome !== 'settled') return 'unrecorded';
  const cause = { requestId: newId('batch', nowMs), nowMs };
  // If the batch's gas is booked, this payment takes over only the loss that was booked for it.
  const losses = isGasBooked(tables, batch, transactionId) ? ownLosses(tables, batch.id, item) : undefined;
  const gasAtomic = losses?.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n) ?? mined.gasCostAtomic;
  const gas = new Map([[item.paymentId, gasAtomic]]);
  const lane = { network, relayer: batch.relayer };
  writePaymentResults(tables, completions(tables, lane, mined, [{ item, mined: part }], gas, cause), 'held');
  tables.losses.push(...reverseLosses(losses ?? [], { nowMs }));
  return 'completed';
}

function isGasBooked({ entries, settlements }: Tables, { id, gasBooked }: BatchRow, transactionId: string): boolean {
  return (
    gasBooked ||
    entries.some(
      (entry) =>
        entry.transactionId === transactionId &&
        entry.asset === NATIVE_ASSET &&
        settlements.get(entry.paymentId)?.batchId === id,
    )
  );
}

function ownLosses({ losses }: Tables, batchId: string, { paymentId }: LaneItem) {
  return liveLosses(losses.filter((loss) => loss.batchId === batchId)).filter((loss) => loss.paymentId === paymentId);
}

function decideHeldMoney(
  tables: Tables,
  network: NetworkId,
  { claimKey, intentId, position }: HeldMoney,
  nowMs: number,
): DecidedMoney | undefined {
  const status = tables.intents.get(intentId)?.intent.status;
  if (status === undefined) throw new Error(`intent ${intentId} is gone`);
  const key = hexKey(claimKey);
  const authorization = tables.authorizations.get(key);
  const begun = tables.settlements.get(authorization?.paymentId ?? '');
  if (begun === undefined && status !== 'canceled' && status !== 'failed') return undefined;
  if (begun !== undefined && !['queued', 'held', 'failed', 'canceled'].includes(begun.status)) return undefined;
  const row = tables.stranded.get(key);
  if (row?.action !== 'hold' || row.status !== 'queued') {
    throw new Error(`the money of intent ${intentId} was decided by somebody else`);
  }
  if (begun?.status === 'queued') begun.status = 'held';
  const settlement = begun ?? queueSettlement(tables, key, { nowMs, status: 'canceled' });
  const { paymentId } = settlement.item;
  const action = settlement.status === 'held' ? 'settle' : 'return';
  Object.assign(row, { action, paymentId });
  tables.entries.push(...bookStranding(network, itemOf(settlement), position, { nowMs }));
  return { intentId, paymentId, action };
}
