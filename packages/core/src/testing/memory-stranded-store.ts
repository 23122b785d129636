// StrandedStore in memory: held payments, open authorizations and stranded transfers.
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import {
  bookStranding,
  type ClaimedPayment,
  type DecidedMoney,
  decideHeldCompletion,
  decideHeldGas,
  decideStranding,
  draftSteps,
  type HeldCompletion,
  type HeldMoney,
  judgeHeldMoney,
  type LaneItem,
  type MinedBatch,
  mayQueueHeld,
  NATIVE_ASSET,
  NO_LINK,
  type OpenAuthorization,
  type StrandedStore,
  settledItems,
} from '../index.ts';
import {
  completions,
  failures,
  linkPayments,
  moveSettlements,
  revertedBatchesOf,
  writeEvents,
  writePaymentResults,
} from './memory-payment-results.ts';
import { queueSettlement } from './memory-seed.ts';
import {
  type AuthorizationRow,
  type BatchRow,
  hexKey,
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
  const openAfter: (...page: Parameters<StrandedStore['loadOpenAuthorizations']>) => OpenAuthorization[] = (
    network,
    after,
    beforeSeconds,
  ) =>
    [...authorizations.values()]
      .filter((row) => row.network === network && row.closedAtMs === null && row.validBeforeSeconds < beforeSeconds)
      .filter(({ direct }) => direct === undefined)
      .filter((row) => byExpiry(row, after) > 0)
      .toSorted(byExpiry)
      .map((row) => openAuthorizationOf(tables, row));
  return {
    loadOpenAuthorizations: (...page) =>
      statement('loadOpenAuthorizations', () => openAfter(...page).slice(0, page[3])),
    loadUnsettledAuthorizations: (...page) =>
      statement('loadUnsettledAuthorizations', () =>
        openAfter(...page)
          .filter(({ settlement }) => settlement === null || ['failed', 'canceled'].includes(settlement))
          .slice(0, page[3]),
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
            if (item.payout.direct !== undefined) return false;
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
    failHeld: ({ item }, code, nowMs) =>
      statement('failHeld', () => {
        const origin = { requestId: newId('batch', nowMs), nowMs };
        writePaymentResults(tables, failures(tables, [{ item, code }], null, origin), 'held');
      }),
    queueHeld: (payments, nowMs) =>
      statement('queueHeld', () => {
        const items = payments.map(({ item }) => item);
        const reverted = revertedBatchesOf(tables, items);
        const free = items.filter((item) => mayQueueHeld(item, reverted));
        const gone = moveSettlements(tables, free, 'held', 'queued');
        const requestId = newId('batch', nowMs);
        linkPayments(
          tables,
          gone.map((item) => ({ item, link: NO_LINK, requestId })),
          nowMs,
        );
      }),
    recordStranding: ({ accountId, mode, claimKey, intentId, item, network, position }, nowMs) =>
      statement('recordStranding', () => {
        const key = hexKey(claimKey);
        const paymentId = item?.paymentId ?? null;
        const settlement = settlements.get(paymentId ?? '')?.status ?? null;
        const action = stranded.has(key) ? undefined : decideStranding({ paymentId, settlement });
        if (action === undefined) return undefined;
        stranded.set(key, {
          number: BigInt(stranded.size + 1),
          accountId: accountId as LaneItem['accountId'],
          mode: mode as LaneItem['mode'],
          claimKey: key,
          intentId: intentId as LaneItem['intentId'],
          network,
          position,
          createdAtMs: nowMs,
          paymentId,
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
  const { network: _n, signature: _s, payout: _p, createdAtMs, closedAtMs: _c, ...open } = row;
  return {
    ...open,
    claimedAtSeconds: secondsOf(createdAtMs),
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
  const decision = decideHeldCompletion({ settlement: row?.status, batch }, mined);
  const parts = settledItems([item], mined);
  if (decision !== 'completed' || row === undefined || batch === undefined) return decision;
  const origin = { requestId: newId('batch', nowMs), nowMs };
  const facts = {
    gasBooked: batch.gasBooked,
    gasInEntries: isGasInEntries(tables, batch, transactionId),
    losses: tables.losses.filter(({ batchId }) => batchId === batch.id),
  };
  const held = decideHeldGas(facts, item.paymentId, mined, { nowMs });
  const gas = new Map([[item.paymentId, held.gasAtomic]]);
  const completed = { lane: { network, relayer: batch.relayer }, batch: mined, parts, gas };
  writePaymentResults(tables, completions(tables, completed, origin), 'held');
  tables.losses.push(...held.losses);
  Object.assign(row, { relayer: batch.relayer, batchId: batch.id });
  return 'completed';
}

function isGasInEntries({ entries, settlements }: Tables, { id }: BatchRow, transactionId: string): boolean {
  return entries.some(
    (entry) =>
      entry.transactionId === transactionId &&
      entry.asset === NATIVE_ASSET &&
      settlements.get(entry.paymentId)?.batchId === id,
  );
}

/** The merchant is told; the intent does not refer to the payment. */
function cancelPayment(tables: Tables, key: string, intentId: string, nowMs: number): SettlementRow {
  const settlement = queueSettlement(tables, key, { nowMs, status: 'canceled' });
  const row = tables.intents.get(intentId);
  const payment = tables.payments.get(settlement.item.paymentId);
  if (row === undefined || payment === undefined) throw new Error(`intent ${intentId} is gone`);
  const { intent, eventSequence } = row;
  const origin = { requestId: newId('batch', nowMs), idempotencyKey: null };
  const { events } = draftSteps({ intent, payment: null }, [{ intent, payment }], origin, nowMs, eventSequence);
  row.version += 1;
  row.eventSequence += events.length;
  tables.payments.set(payment.id, { ...payment, announced: true });
  writeEvents(tables, events, intent);
  return settlement;
}

function decideHeldMoney(
  tables: Tables,
  network: NetworkId,
  { claimKey, intentId, position }: HeldMoney,
  nowMs: number,
): DecidedMoney | undefined {
  const intent = tables.intents.get(intentId)?.intent.status;
  if (intent === undefined) throw new Error(`intent ${intentId} is gone`);
  const key = hexKey(claimKey);
  const begun = tables.settlements.get(tables.authorizations.get(key)?.paymentId ?? '');
  const decision = judgeHeldMoney({ intent, begun: begun?.status ?? null });
  if (decision === undefined) return undefined;
  const row = tables.stranded.get(key);
  if (row?.action !== 'hold' || row.status !== 'queued') {
    throw new Error(`the money of intent ${intentId} was decided by somebody else`);
  }
  const settlement = begun ?? cancelPayment(tables, key, intentId, nowMs);
  if (decision.payment === 'hold') settlement.status = 'held';
  const { action } = decision;
  const { paymentId } = settlement.item;
  Object.assign(row, { action, paymentId });
  tables.entries.push(...bookStranding(network, itemOf(settlement), position, { nowMs }));
  return { intentId, paymentId, action };
}
