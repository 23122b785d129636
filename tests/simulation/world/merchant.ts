// What merchants and the API do: an intent with its first event, the authorization that its payer signed, and the payment
// that settles it; an up-to intent is settled, canceled or left to expire later.
import { type Intent, judgeSettlement } from '@svc-pay/core';
import {
  type AuthorizationRow,
  queueSettlement,
  seedAuthorization,
  seedIntent,
  type Tables,
} from '@svc-pay/core/testing';
import { atomicAmount, usd } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { FEE_BPS, MERCHANT, PROCESSOR, TOKEN } from '../chain/chain-state.ts';
import type { Buyer } from './plan-buyers.ts';
import type { Simulation } from './simulation.ts';

const HOUR_MS = 3_600_000;
const accountId = newId('account', 0, () => new Uint8Array(10));
export const ACCOUNT = { accountId, mode: 'test' as const };
export const PAYOUT = { id: 1n, merchant: MERCHANT, feeBps: FEE_BPS, splits: [] as [] };
/** Of a processor that settles less than the cap. */
const PROCESSOR_VERSION = '1.3.0';

type Issuer = Pick<Simulation, 'tables' | 'newIntentCode'>;

/** Answers the key of the authorization, as hex. */
export function takeAuthorization(
  { tables, newIntentCode }: Issuer,
  network: NetworkId,
  buyer: Buyer,
  nowMs: number,
  silent = false,
): string {
  const code = newIntentCode();
  const intent = intentOf(network, buyer, code, nowMs);
  seedIntent(tables, intent, silent);
  const terms = {
    asset: TOKEN,
    processor: PROCESSOR,
    payer: buyer.payer,
    capAtomic: buyer.capAtomic,
    nonce: `0x${code.toString(16).padStart(64, '0')}`,
    validBeforeSeconds: BigInt(Math.floor(nowMs / 1_000) + buyer.validForSeconds),
    payout: PAYOUT,
  };
  const key = seedAuthorization(tables, intent, terms, nowMs);
  if (buyer.upto === undefined) queueSettlement(tables, key, { ...buyer, nowMs, status: 'queued' });
  return key;
}

/** The merchant names the amount; nothing happens when it is too late. */
export function settleUpto(tables: Tables, key: string, settledAtomic: bigint, nowMs: number): boolean {
  const signed = tables.authorizations.get(key);
  const row = tables.intents.get(signed?.intentId ?? '');
  if (signed === undefined || row === undefined) return false;
  const stored = {
    network: signed.network as NetworkId,
    asset: signed.asset,
    recipient: signed.processor,
    cap: atomicAmount(signed.capAtomic),
    validBeforeSeconds: signed.validBeforeSeconds,
    closed: signed.closedAtMs !== null,
  };
  const situation = { intent: row.intent, payment: null, stored, processorVersion: PROCESSOR_VERSION };
  if (judgeSettlement(situation, settledAtomic, nowMs).verdict !== 'begin') return false;
  queueSettlement(tables, key, { nowMs, status: 'queued', settledAtomic });
  return true;
}

/** Money that was stranded long ago and waits for merchants who do not decide. Answers the authorizations. */
export function seedUndecided(
  issuer: Issuer,
  network: NetworkId,
  count: number,
  nowMs: number,
): readonly AuthorizationRow[] {
  const { tables } = issuer;
  return Array.from({ length: count }, (_, index) => {
    const payer = `0x${(index + 1).toString(16).padStart(40, 'c')}`;
    const amounts = { capAtomic: 1_000_000n, settledAtomic: 1_000_000n };
    const upto = { decision: 'leave', afterMs: 0 } as const;
    const buyer = { ...amounts, payer, isSound: false, validForSeconds: 86_400, confirmations: 1, upto };
    const key = takeAuthorization(issuer, network, buyer, nowMs, true);
    const signed = tables.authorizations.get(key) as AuthorizationRow;
    signed.closedAtMs = nowMs;
    const { accountId, mode, intentId } = signed;
    tables.stranded.set(key, {
      number: BigInt(index + 1),
      accountId,
      mode,
      claimKey: key,
      intentId,
      network,
      createdAtMs: nowMs,
      position: { transactionId: `0x${(index + 1).toString(16).padStart(64, 'f')}`, logIndex: 1 },
      paymentId: null,
      action: 'hold',
      status: 'queued',
      reason: null,
      relayer: null,
      batchId: null,
    });
    return signed;
  });
}

export function cancelIntent({ intents, authorizations }: Tables, key: string): void {
  const row = intents.get(authorizations.get(key)?.intentId ?? '');
  if (row?.intent.status === 'requires_payment') row.intent = { ...row.intent, status: 'canceled' };
}

/** As the periodic job that cancels intents which were not paid in time. */
export function expireIntents({ intents }: Tables, nowMs: number): void {
  for (const row of intents.values()) {
    const { status, expiresAtMs } = row.intent;
    if (status === 'requires_payment' && expiresAtMs <= nowMs) row.intent = { ...row.intent, status: 'canceled' };
  }
}

export function intentOf(
  network: NetworkId,
  buyer: Pick<Buyer, 'capAtomic' | 'settledAtomic' | 'confirmations' | 'validForSeconds' | 'upto'>,
  code: number,
  nowMs: number,
): Intent {
  const { capAtomic, settledAtomic, confirmations, validForSeconds, upto } = buyer;
  return {
    id: newId('paymentIntent', nowMs),
    ...ACCOUNT,
    intentCode: code,
    status: 'requires_payment',
    upto: upto !== undefined || settledAtomic < capAtomic,
    amount: atomicAmount(capAtomic),
    tokenShortcode: 'basesepolia_usdc',
    network,
    ledgerId: TOKEN,
    amountUsd: usd(1_500_000_000_000_000_000n),
    description: null,
    resource: null,
    mimeType: null,
    expectedSender: null,
    payerPublicKey: null,
    metadata: {},
    serviceMetadata: {},
    createdAtMs: nowMs,
    // A confirmed up-to intent lasts as long as its authorization.
    expiresAtMs: upto === undefined ? nowMs + HOUR_MS : nowMs + validForSeconds * 1_000,
    confirmedPayer: null,
    confirmations,
    createdWith: 'secret',
    tokens: ['basesepolia_usdc'],
  };
}
