// Rows that exist before a lane or a watcher comes in, as the API writes them: an intent, an authorization that was signed
// for it, and the payment that settles it.
import { atomicAmount } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { claimKey, draftEvents, eventsFor, type Intent, type LaneItem } from '../index.ts';
import { writeEvents } from './memory-payment-results.ts';
import { type AuthorizationRow, hexKey, type RelayerRow, type SettlementRow, type Tables } from './memory-tables.ts';

export function seedRelayer(
  { relayers }: Tables,
  { network, relayer }: { readonly network: NetworkId; readonly relayer: string },
  nextNonce: bigint,
  duty: RelayerRow['duty'] = 'settle',
): void {
  relayers.set(`${network}/${relayer}`, {
    network,
    address: relayer,
    duty,
    status: 'active',
    nextNonce,
    epoch: 0n,
    awake: false,
    beatAtMs: null,
    condition: 'fine',
    obstacle: null,
    obstacleSinceMs: null,
  });
}

/** With the event that announces it, unless it is `silent`. */
export function seedIntent(tables: Tables, intent: Intent, silent = false): void {
  const snapshot = { intent, payment: null };
  const origin = { requestId: 'req_seed', idempotencyKey: null };
  const caused = silent ? [] : eventsFor(undefined, snapshot);
  const events = draftEvents(caused, snapshot, origin, intent.createdAtMs, 0);
  writeEvents(tables, events, intent);
  tables.intents.set(intent.id, { intent, paymentId: null, version: 1, eventSequence: events.length });
}

export type SignedTerms = Pick<
  AuthorizationRow,
  'asset' | 'processor' | 'payer' | 'capAtomic' | 'nonce' | 'validBeforeSeconds' | 'payout' | 'direct'
>;

/** Answers the key of the claim, as hex. */
export function seedAuthorization(tables: Tables, intent: Intent, terms: SignedTerms, nowMs: number): string {
  const { accountId, mode, id: intentId, network } = intent;
  const key = claimKey({ network, asset: terms.asset, payer: terms.payer, uniquePart: terms.nonce });
  tables.authorizations.set(hexKey(key), {
    ...terms,
    accountId,
    mode,
    intentId,
    network,
    claimKey: key,
    kind: 'transfer_with_authorization',
    signature: `0x${'1b'.repeat(65)}`,
    createdAtMs: nowMs,
    closedAtMs: null,
    paymentId: null,
  });
  return hexKey(key);
}

export type NewSettlement = {
  readonly nowMs: number;
  /** The intent does not refer to a canceled payment. A direct payment that is used already begins `held`. */
  readonly status: 'queued' | 'held' | 'canceled';
  /** The cap by default. */
  readonly settledAtomic?: bigint;
};

export function queueSettlement(
  tables: Tables,
  key: string,
  { nowMs, status, settledAtomic }: NewSettlement,
): SettlementRow {
  const authorization = tables.authorizations.get(key);
  const intentRow = tables.intents.get(authorization?.intentId ?? '');
  if (authorization === undefined || intentRow === undefined) throw new Error('no authorization to settle');
  const { accountId, mode, intentId, network, capAtomic, payer, asset } = authorization;
  const { intent } = intentRow;
  const paymentId = newId('payment', nowMs);
  const number = BigInt(tables.settlements.size + 1);
  const item: LaneItem = {
    accountId,
    mode,
    paymentId,
    intentId,
    number,
    asset,
    payer,
    capAtomic,
    intentCode: BigInt(intent.intentCode),
    processor: authorization.processor,
    kind: authorization.kind,
    byContract: false,
    settledAtomic: settledAtomic ?? capAtomic,
    validAfterSeconds: 0n,
    validBeforeSeconds: authorization.validBeforeSeconds,
    nonce: authorization.nonce,
    signature: authorization.signature,
    payout: authorization.payout,
    confirmations: intent.confirmations,
  };
  const row: SettlementRow = {
    item,
    claimKey: key,
    network,
    createdAtMs: nowMs,
    status,
    relayer: null,
    batchId: null,
    batchLimit: null,
    retryAtMs: null,
    refusal: null,
    revertedBatches: [],
  };
  tables.settlements.set(paymentId, row);
  tables.payments.set(paymentId, {
    id: paymentId,
    status: status === 'canceled' ? 'canceled' : 'pending',
    network: network as NetworkId,
    tokenSymbol: 'USDC',
    tokenShortcode: intent.tokenShortcode,
    usdPerToken: null,
    asset,
    payer,
    amount: atomicAmount(item.settledAtomic),
    requestedAmount: atomicAmount(capAtomic),
    paidAmount: null,
    feeAmount: null,
    splits: null,
    returnedAmount: null,
    refundedAmount: null,
    paidTotal: null,
    refundDueAmount: null,
    failureCode: null,
    transactionId: null,
    transactionSplitId: null,
    settlementNumber: Number(number),
    createdAtMs: nowMs,
    completedAtMs: null,
    announced: false,
  });
  authorization.paymentId = paymentId;
  if (status !== 'canceled') {
    intentRow.intent = { ...intent, status: 'processing' };
    intentRow.paymentId = paymentId;
    intentRow.version += 1;
  }
  return row;
}
