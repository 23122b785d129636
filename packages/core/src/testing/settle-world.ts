// A settle call whose ports are played and listed in the order of their calls.
import { atomicAmount, parseRate } from '@svc-pay/money';
import { encodePaymentHeader } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { NO_AMOUNTS } from '../budget/gas-budget.ts';
import type { WalletBudget } from '../budget/judge-wallet.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { ClaimOutcome, DirectSignature } from '../payment/claim-payment.ts';
import { type SettleCall, settlePayment } from '../settlement/settle-payment.ts';
import type { SettlePorts } from '../settlement/settle-ports.ts';
import type { PaymentProgress, SettlementRead } from '../settlement/settlement-read.ts';
import { TOKENS } from '../token/catalogue.ts';
import { sampleActivation } from './sample-activation.ts';
import { sampleFamily, sampleIntent, samplePayment } from './samples.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc');
if (token === undefined) throw new Error('the catalogue has no basesepolia_usdc');
const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: 0 });
if (!rate.ok) throw new Error(rate.code);
const processor = `0x${'9c'.repeat(20)}`;
export const payer = `0x${'aA'.repeat(20)}`;
const acceptance: StoredAcceptance = {
  position: 0,
  scheme: 'exact',
  network: token.network,
  token,
  payTo: processor,
  amount: atomicAmount(1_500_000n),
  payoutId: 1n,
  maxTimeoutSeconds: 300,
  confirmations: 1,
  rate: rate.rate,
  minimumUsdMicros: null,
  priceEndsAtMs: null,
};
export const intent = sampleIntent();
const nowSeconds = Math.floor(intent.createdAtMs / 1_000);
const encodedHeader = encodePaymentHeader({
  x402Version: 1,
  scheme: 'exact',
  network: 'eip155:84532',
  payload: {
    authorization: {
      from: payer,
      to: processor,
      value: '1500000',
      validAfter: String(nowSeconds - 60),
      validBefore: String(nowSeconds + 300),
      nonce: `0x${'01'.repeat(32)}`,
    },
    signature: `0x${'02'.repeat(65)}`,
  },
});
export const progress = (change: Parameters<typeof samplePayment>[0]): PaymentProgress => ({
  payment: samplePayment(change),
  failureCode: null,
  externalCostAmount: null,
  feeAmount: null,
  refundAmount: null,
});
const done = progress({ status: 'completed', transactionId: '0xfeed' });
export const pending = progress({ status: 'pending' });
export const open: SettlementRead = { intent, latest: null, own: null };
export const processing: SettlementRead = {
  intent: { ...intent, status: 'processing' },
  latest: pending,
  own: pending,
};
export const paid: SettlementRead = { intent: { ...intent, status: 'completed' }, latest: done, own: done };
export const takenByAnother: SettlementRead = {
  intent: { ...intent, status: 'processing' },
  latest: pending,
  own: null,
};

export type SettleWorld = {
  /** Successive reads of the database; the last one stays. */
  reads?: readonly (SettlementRead | undefined)[];
  call?: Partial<SettleCall>;
  /** What the chain says of the authorization. */
  refused?: ErrorCode;
  holder?: 'here' | 'elsewhere';
  /** The payment of the claim, where the chain reader made both. */
  claimed?: PaymentProgress;
  /** A payer who is on the deny list. */
  denied?: string;
  /** Successive answers to the claim; the last one stays. */
  claims?: readonly ClaimOutcome['outcome'][];
  keyReused?: boolean;
  settleWaitMs?: number;
  /** Whether each wait is told of a result; the last one stays. */
  told?: readonly boolean[];
  /** What is read of a payment that may have its result. */
  result?: SettlementRead;
  /** Watches are among the steps. */
  showWatch?: true;
  /** How long each wait takes. */
  waitMs?: number;
  transactions?: boolean;
  /** The acceptance pays the merchant's wallet, and this is known of the signature. */
  direct?: DirectSignature;
  /** The payer is a contract wallet, with these gas budgets. */
  wallet?: WalletBudget;
};

const nothingLost = {
  network: NO_AMOUNTS,
  account: NO_AMOUNTS,
  code: NO_AMOUNTS,
  payer: NO_AMOUNTS,
  refunds: NO_AMOUNTS,
};
export const OPEN_BUDGET: WalletBudget = { limits: undefined, lost: nothingLost, proven: false };

export async function settle(world: SettleWorld = {}) {
  const steps: string[] = [];
  const attempts: object[] = [];
  const kept: object[] = [];
  let nowMs = intent.createdAtMs;
  const next = <Item>(items: readonly Item[]) => {
    let index = 0;
    return () => items[Math.min(index++, items.length - 1)] as Item;
  };
  const read = next(world.reads ?? [open, paid]);
  const claimOutcome = next(world.claims ?? ['claimed']);
  const told = next(world.told ?? [true]);
  const step = <Result>(name: string, result: () => Result) => {
    steps.push(name);
    return result();
  };
  const refusal = world.refused && ({ ok: false, code: world.refused } as const);
  const direct = world.direct && { direct: world.direct };
  const family = sampleFamily({
    verifyAuthorization: async ({ header }) =>
      step('verify', () => {
        const byContract = world.wallet !== undefined;
        const signed = { ...signedOf(header.payload), byContract, ...direct };
        if (refusal === undefined) return { ok: true, signed };
        return { ...refusal, ...(direct && refusal.code === 'insufficient_funds' && { signed }) };
      }),
    ...(world.transactions === true && {
      transactions: {
        read: () => ({ payer: 'Payer', messageHash: 'ab'.repeat(32) }),
        verify: async () => step('verify', () => refusal ?? { ok: true, acceptance, signed: signedOf(NOTHING_SIGNED) }),
        prepare: async () => ({ ok: false, code: 'internal_error' }),
        prepareText: async () => ({ ok: false, code: 'internal_error' }),
        request: async () => ({ ok: false, code: 'internal_error' }),
        feePayer: async () => undefined,
        stockTransfer: async () => undefined,
        soleRecipient: () => undefined,
      },
    }),
  });
  const ports: SettlePorts = {
    clock: { nowMs: () => nowMs },
    settleWaitMs: world.settleWaitMs ?? 1_000,
    families: [family],
    networks: new Map(),
    findHourlyCaps: async () => [],
    isPayerDenied: (name) => name === world.denied,
    loadSettlement: async () => step('load', read),
    loadAcceptances: async () =>
      step('acceptances', () => [{ ...acceptance, ...(direct && { direct: sampleActivation() }) }]),
    loadWalletBudget: async () => step('budget', () => world.wallet ?? OPEN_BUDGET),
    claimPayment: async () =>
      step('claim', () => {
        const outcome = claimOutcome();
        return { outcome, paymentId: null } as ClaimOutcome;
      }),
    findClaim: async () => step('find claim', () => world.holder),
    loadClaimed: async () => step('load claimed', () => world.claimed ?? null),
    recordRefused: async ({ code, funded }) =>
      step('record refused', () => {
        kept.push({ code, funded });
        return 'stored';
      }),
    queueRefused: async () => step('queue again', () => true),
    recordAttempt: async (attempt) => step('record attempt', () => void attempts.push(attempt)),
    isKeyReused: async () => step('is key reused', () => world.keyReused === true),
    bindKey: async () => step('bind key', () => {}),
    wakeLanes: () => step('wake', () => {}),
    loadResult: async () => (world.result ? step('load result', () => world.result) : undefined),
    watchResult: () => {
      if (world.showWatch !== true) return () => {};
      return step('watch', () => () => step('unwatch', () => {}));
    },
    awaitResult: async () =>
      step('wait', () => {
        nowMs += world.waitMs ?? 1;
        return told();
      }),
  };
  const call: SettleCall = {
    caller: {} as SettleCall['caller'],
    intentId: intent.id,
    encoded: world.transactions === true ? { transaction: 'signed' } : { encodedHeader, echo: null },
    claim: null,
    limited: false,
    ...world.call,
  };
  const settled = await settlePayment(ports, call);
  const said = settled.ok
    ? { status: settled.response.status, error: settled.response.error, replayed: settled.replayed }
    : settled.code;
  const claimed = settled.ok && settled.claimed;
  const mayStillMove = settled.ok && settled.mayStillMove === true;
  return {
    steps: steps.join(', '),
    said,
    attempts,
    ...(mayStillMove && { mayStillMove }),
    ...(claimed && { claimed }),
    ...(direct && { kept }),
  };
}

const NOTHING_SIGNED = {
  authorization: {
    from: 'Payer',
    to: processor,
    value: '1',
    validAfter: '0',
    validBefore: String(nowSeconds + 300),
    nonce: '0x00',
  },
  signature: '0x00',
};
const signedOf = <Payload>(payload: Payload) =>
  ({ kind: 'transfer_with_authorization', byContract: false, ...payload }) as const;
