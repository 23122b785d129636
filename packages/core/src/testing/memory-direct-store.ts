// DirectStore in memory: open direct authorizations until they can move no money any more.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import { claimKey, type DirectStore, decideDirectFailure, NO_LINK, type OpenDirect } from '../index.ts';
import type { MemoryRefused } from './memory-direct-tables.ts';
import { failures, linkPayments, moveSettlements, writePaymentResults } from './memory-payment-results.ts';
import { rowsOfNetwork } from './memory-reader-tables.ts';
import {
  type AuthorizationRow,
  hexKey,
  itemOf,
  type SettlementRow,
  type Statement,
  type Tables,
} from './memory-tables.ts';

export function createMemoryDirectStore(tables: Tables, statement: Statement): DirectStore {
  const { authorizations, refused, settlements } = tables;
  const page = (rows: readonly OpenDirect[], after: Expiry, beforeSeconds: bigint, limit: number) =>
    rows
      .filter((row) => row.validBeforeSeconds < beforeSeconds && byExpiry(row, after) > 0)
      .toSorted(byExpiry)
      .slice(0, limit);
  const fail = (payment: OpenDirect, nowMs: number, decide: (row: SettlementRow) => ErrorCode | undefined) => {
    const row = settlements.get(payment.paymentId ?? '');
    const code = row === undefined || tables.heldForMerchant.has(row.item.paymentId) ? undefined : decide(row);
    if (row === undefined || code === undefined) return undefined;
    const origin = { requestId: newId('batch', nowMs), nowMs };
    writePaymentResults(tables, failures(tables, [{ item: itemOf(row), code }], null, origin), row.status);
    const signed = authorizations.get(row.claimKey);
    if (signed !== undefined) signed.closedAtMs ??= nowMs;
    return code;
  };
  return {
    loadOpenDirect: (network, after, beforeSeconds, limit) =>
      statement('loadOpenDirect', () => {
        const open = [...authorizations.values()].filter(
          (row) => row.network === network && row.closedAtMs === null && row.direct !== undefined,
        );
        return page(
          open.map((row) => openDirectOf(tables, row)),
          after,
          beforeSeconds,
          limit,
        );
      }),
    loadOpenRefused: (network, after, beforeSeconds, limit) =>
      statement('loadOpenRefused', () => {
        const open = [...refused.values()].filter((row) => row.network === network && row.closedAtMs === null);
        const once = new Map(open.map((row) => [hexKey(row.claimKey), row]));
        return page(
          [...once.values()].map((row) => openRefusedOf(tables, row)),
          after,
          beforeSeconds,
          limit,
        );
      }),
    closeDirect: (over, nowMs) =>
      statement('closeDirect', () => {
        for (const { claimKey: key } of over) {
          const row = authorizations.get(hexKey(key));
          if (row !== undefined) row.closedAtMs ??= nowMs;
        }
      }),
    closeRefused: (keys, nowMs) =>
      statement('closeRefused', () => {
        const over = new Set(keys.map(hexKey));
        for (const row of refused.values()) if (over.has(hexKey(row.claimKey))) row.closedAtMs ??= nowMs;
      }),
    failExpired: (payment, facts, nowMs) =>
      statement('failExpired', () =>
        fail(payment, nowMs, ({ status, refusal }) =>
          decideDirectFailure({
            ...facts,
            settlement: status,
            validBeforeSeconds: payment.validBeforeSeconds,
            hasUnappliedLog: hasUnapplied(tables, payment.claimKey),
            refusal: refusal as ErrorCode | null,
          }),
        ),
      ),
    failUsed: (payment, nowMs) =>
      statement('failUsed', () => {
        const isUsed = ({ status }: SettlementRow) => status === 'held' && !hasUnapplied(tables, payment.claimKey);
        return fail(payment, nowMs, (row) => (isUsed(row) ? 'authorization_already_used' : undefined)) !== undefined;
      }),
    queueAgain: ({ paymentId }, nowMs) =>
      statement('queueAgain', () => {
        const row = settlements.get(paymentId ?? '');
        if (row?.status !== 'held' || row.refusal !== null || tables.heldForMerchant.has(row.item.paymentId))
          return false;
        moveSettlements(tables, [row.item], 'held', 'queued');
        linkPayments(tables, [{ item: row.item, link: NO_LINK, requestId: newId('batch', nowMs) }], nowMs);
        return true;
      }),
  };
}

type Expiry = Pick<OpenDirect, 'validBeforeSeconds' | 'claimKey'>;

function byExpiry(one: Expiry, other: Expiry): number {
  if (one.validBeforeSeconds !== other.validBeforeSeconds)
    return one.validBeforeSeconds < other.validBeforeSeconds ? -1 : 1;
  return Buffer.compare(one.claimKey, other.claimKey);
}

/** Rounded as the database rounds. */
const secondsOf = (atMs: number) => BigInt(Math.round(atMs / 1_000));

function hasUnapplied(tables: Tables, key: Uint8Array): boolean {
  const networks = new Set(
    [...tables.authorizations.values(), ...tables.refused.values()].map(({ network }) => network),
  );
  return [...networks].some((network) =>
    rowsOfNetwork(tables.readLogs, network).some(
      (log) =>
        'nonce' in log &&
        hexKey(key) ===
          hexKey(
            claimKey({
              network: network as MemoryRefused['network'],
              asset: log.address,
              payer: log.payer,
              uniquePart: log.nonce,
            }),
          ),
    ),
  );
}

function openDirectOf(tables: Tables, row: AuthorizationRow): OpenDirect {
  const settlement = tables.settlements.get(row.paymentId ?? '');
  const { accountId, mode, intentId, kind, asset, processor, payer, capAtomic, nonce, validBeforeSeconds } = row;
  return {
    accountId,
    mode,
    intentId,
    kind,
    asset,
    processor,
    payer,
    capAtomic,
    nonce,
    validBeforeSeconds,
    claimKey: row.claimKey,
    claimedAtSeconds: secondsOf(row.createdAtMs),
    paymentId: row.paymentId,
    settlement: settlement?.status ?? null,
    relayer: null,
    program: null,
    refused: false,
    claimed: true,
    bound: row.direct?.bound ?? false,
    unusedAtBlock: row.direct?.unusedAtBlock ?? null,
    refusal: (settlement?.refusal ?? null) as ErrorCode | null,
    heldForMerchant: tables.heldForMerchant.has(row.paymentId ?? ''),
    isResultFinal: tables.batches.get(settlement?.batchId ?? '')?.status !== 'mined',
    hasUnappliedLog: hasUnapplied(tables, row.claimKey),
  };
}

function openRefusedOf(tables: Tables, row: MemoryRefused): OpenDirect {
  const { accountId, mode, intentId, claimKey: key, payer, nonce, acceptance, validBeforeSeconds, bound } = row;
  return {
    accountId,
    mode,
    intentId,
    payer,
    nonce,
    validBeforeSeconds,
    bound,
    claimKey: key,
    kind: 'transfer_with_authorization',
    asset: acceptance.token.address,
    processor: acceptance.payTo,
    capAtomic: acceptance.amount,
    claimedAtSeconds: secondsOf(row.createdAtMs),
    paymentId: null,
    settlement: null,
    relayer: null,
    program: null,
    refused: true,
    claimed: tables.authorizations.has(hexKey(key)) || tables.unsubmitted.has(hexKey(key)),
    unusedAtBlock: row.unusedAtBlock,
    refusal: null,
    heldForMerchant: false,
    isResultFinal: true,
    hasUnappliedLog: hasUnapplied(tables, key),
  };
}
