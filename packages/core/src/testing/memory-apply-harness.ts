// The memory apply store as its contract suite sees it.
import { atomicAmount, parseRate } from '@svc-pay/money';
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { newId } from '@svc-pay/protocol/ids';
import {
  claimKey,
  DEFAULT_MISMATCH_POLICY,
  directTerms,
  isOpenToPay,
  logKey,
  type StoredAcceptance,
  TOKENS,
  type WalletUse,
} from '../index.ts';
import type { ApplyHarness, OfferedIntent, OfferTerms, SignedHere } from './apply-harness.ts';
import { createMemoryApplyStore } from './memory-apply-store.ts';
import { createMemoryDirectStore } from './memory-direct-store.ts';
import { createMemoryHarness } from './memory-harness.ts';
import { ofNetwork } from './memory-reader-tables.ts';
import { createMemoryRefundStore } from './memory-refund-store.ts';
import { createMemoryRefundWatchStore } from './memory-refund-watch-store.ts';
import { queueSettlement, seedAuthorization, seedIntent } from './memory-seed.ts';
import { hexKey, type Statement } from './memory-tables.ts';
import { sampleActivation } from './sample-activation.ts';
import { sampleIntent } from './samples.ts';
import { someAddress } from './settled-payment.ts';

const statement: Statement = async (_name, action) => action();
const WALLETS: Readonly<Record<WalletUse, string>> = { exclusive: someAddress(0xa1), shared: someAddress(0xa2) };
const VALID_BEFORE = 4_000_000_000n;

export function createMemoryApplyHarness(): ApplyHarness {
  const { tables, network, lanes, settling, finality, nowMs, pass, cancelIntent, read } = createMemoryHarness();
  const accountId = newId('account', nowMs());
  let count = 0;
  const offer = async (terms: OfferTerms = {}): Promise<OfferedIntent> => {
    pass(1);
    count += 1;
    const intentCode = 1_000 + count;
    const times = { createdAtMs: nowMs(), expiresAtMs: nowMs() + (terms.expiresInMs ?? 86_400_000) };
    const { expectedSender = null } = terms;
    const id = newId('paymentIntent', nowMs());
    seedIntent(tables, sampleIntent({ id, accountId, intentCode, ...times, expectedSender }));
    const acceptance = acceptanceOf(network, accountId, terms, nowMs());
    tables.acceptances.set(id, [acceptance]);
    return { intentId: id, intentCode: BigInt(intentCode), acceptance };
  };
  const sign = ({ acceptance, intentCode }: OfferedIntent, bound: boolean): SignedHere => {
    count += 1;
    const payer = `0x${count.toString(16).padStart(40, 'e')}`;
    const { direct } = acceptance;
    const terms = direct && directTerms(Number(intentCode), { ...acceptance, direct }, 0);
    const nonce = bound && terms ? directNonce(terms) : `0x${count.toString(16).padStart(64, '0')}`;
    return { payer, nonce, claimKey: claimKey({ network, asset: acceptance.token.address, payer, uniquePart: nonce }) };
  };
  return {
    network,
    lane: lanes[0],
    settling,
    finality,
    apply: createMemoryApplyStore(tables, statement),
    direct: createMemoryDirectStore(tables, statement),
    refunds: createMemoryRefundStore(tables, statement),
    refundWatch: createMemoryRefundWatchStore(tables, statement),
    owner: { accountId, mode: 'test' },
    nowMs,
    offer,
    claim: async (intent, given) => {
      pass(1);
      const { bound = false, atBlock = 100n, used = false } = given ?? {};
      const row = tables.intents.get(intent.intentId);
      if (row === undefined || !isOpenToPay(row.intent)) throw new Error('intent_taken');
      const { payer, nonce, claimKey: key } = sign(intent, bound);
      const { token, payTo, amount, payoutId, shares, direct } = intent.acceptance;
      const { merchant = '', feeBps = 0 } = shares ?? {};
      const terms = { asset: token.address, processor: payTo, payer, capAtomic: amount, nonce };
      const payout = { id: payoutId, merchant, feeBps, splits: [], ...(direct && { direct }) };
      const signed = direct && { direct: { bound, unusedAtBlock: atBlock } };
      const rows = { ...terms, payout, validBeforeSeconds: VALID_BEFORE, ...signed };
      const hex = seedAuthorization(tables, row.intent, rows, nowMs());
      const settlement = queueSettlement(tables, hex, { nowMs: nowMs(), status: 'queued' });
      if (used) settlement.status = 'held';
      return { payer, nonce, claimKey: key, paymentId: settlement.item.paymentId };
    },
    refuse: async (intent, given) => {
      pass(1);
      const { bound = false, atBlock = 100n } = given ?? {};
      const signed = given?.signed ?? sign(intent, bound);
      const row = tables.intents.get(intent.intentId);
      if (row === undefined) throw new Error('no intent');
      tables.refused.set(`${intent.intentId} ${hexKey(signed.claimKey)}`, {
        accountId,
        mode: row.intent.mode,
        intentId: row.intent.id,
        network,
        ...signed,
        acceptance: intent.acceptance,
        bound,
        unusedAtBlock: atBlock,
        validBeforeSeconds: VALID_BEFORE,
        funded: false,
        createdAtMs: nowMs(),
        closedAtMs: null,
      });
      return signed;
    },
    signBound: async (intent) => sign(intent, true),
    putLog: async (log) => void tables.readLogs.set(ofNetwork(network, logKey(log.position)), log),
    setPolicy: async (policy) => void tables.policies.set(accountId, { ...DEFAULT_MISMATCH_POLICY, ...policy }),
    cancelIntent,
    read,
    proofs: async () =>
      [...tables.proofs.values()].map(({ transactionId, logIndex, paymentId, reason }) => ({
        transaction: transactionId,
        logIndex,
        payment: paymentId,
        reason,
      })),
    unapplied: async () => tables.readLogs.size,
    logsRead: async () => [...tables.logsRead.values()].reduce((sum, count) => sum + count, 0),
  };
}

function acceptanceOf(
  network: StoredAcceptance['network'],
  accountId: string,
  { use, priceEndsInMs }: OfferTerms,
  nowMs: number,
): StoredAcceptance {
  const token = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc');
  const rate = token && parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: nowMs });
  if (token === undefined || rate?.ok !== true) throw new Error('no token');
  const terms = {
    position: 0,
    scheme: 'exact',
    network,
    token,
    amount: atomicAmount(1_500_000n),
    maxTimeoutSeconds: 300,
    confirmations: 1,
    rate: rate.rate,
    minimumUsdMicros: null,
    priceEndsAtMs: priceEndsInMs === undefined ? null : nowMs + priceEndsInMs,
  } as const;
  if (use === undefined)
    return {
      ...terms,
      payTo: someAddress(0x22),
      payoutId: 7n,
      shares: { merchant: someAddress(0x66), feeBps: 100, splits: [] },
    };
  const wallet = WALLETS[use];
  const number = use === 'exclusive' ? 1n : 2n;
  return {
    ...terms,
    payTo: wallet,
    payoutId: number,
    shares: { merchant: wallet, feeBps: 0, splits: [] },
    direct: sampleActivation({ accountId, network, asset: token.address.toLowerCase(), wallet, use, number }),
  };
}
