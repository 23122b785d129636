// A seller's verify or settle whose ports are played and listed in the order of their calls.
import { atomicAmount, parseRate } from '@svc-pay/money';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import type { X402Payment, X402Terms } from '@svc-pay/protocol/x402';
import type { Caller } from '../account/authenticate.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { ClaimOutcome, PaymentClaim } from '../payment/claim-payment.ts';
import type { ActivePayout } from '../payout/merchant-setup.ts';
import type { PaymentProgress, SettlementRead } from '../settlement/settlement-read.ts';
import { TOKENS } from '../token/catalogue.ts';
import type { FacilitatorPorts } from '../x402/facilitator-ports.ts';
import type { VerifyVerdict } from '../x402/judge-verify-lease.ts';
import type { AuthorizationLease, LeaseClaim, LeaseFacts } from '../x402/lease.ts';
import type { MarkedAnswer, ReturnOrder, SettleOrder } from '../x402/lease-store.ts';
import { settleForSeller } from '../x402/settle-for-seller.ts';
import { verifyForSeller } from '../x402/verify-for-seller.ts';
import { sampleActivation } from './sample-activation.ts';
import { sampleFamily } from './sample-family.ts';
import { intent, OPEN_BUDGET, open, paid } from './settle-world.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc');
if (token === undefined) throw new Error('the catalogue has no basesepolia_usdc');
const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: 0 });
if (!rate.ok) throw new Error(rate.code);
const { network, shortcode } = token;
const nowSeconds = Math.floor(intent.createdAtMs / 1_000);

/** As it is stored. */
export const WALLET = `0x${'5a'.repeat(20)}`;
const asset = token.address.toLowerCase();
const activation = sampleActivation({ wallet: WALLET, asset });
const wallet: ActivePayout = {
  network,
  payoutId: 1n,
  processor: WALLET,
  merchant: WALLET,
  feeBps: 0,
  splits: [],
  direct: { asset, activation, activeFromMs: 0, readable: true },
};
/** Of the intent that an earlier call made. */
const acceptance: StoredAcceptance = {
  position: 0,
  scheme: 'exact',
  network,
  token,
  payTo: WALLET,
  amount: atomicAmount(1_500_000n),
  payoutId: 1n,
  maxTimeoutSeconds: 300,
  confirmations: 1,
  rate: rate.rate,
  direct: activation,
  minimumUsdMicros: null,
  priceEndsAtMs: null,
};
const caller: Caller = { accountId: intent.accountId, keyId: newId('key', 0), kind: 'secret', mode: 'test' };

/** A lease that a verify of the account has. */
export const verified = (change: Partial<AuthorizationLease> = {}): AuthorizationLease => ({
  ...caller,
  recipient: WALLET,
  amount: 1_500_000n,
  validBeforeSeconds: BigInt(nowSeconds + 300),
  call: 1,
  callAtMs: intent.createdAtMs,
  answer: 'arrived',
  intentId: null,
  ...change,
});
export const begun = (change: Partial<AuthorizationLease> = {}) =>
  verified({ call: 2, intentId: intent.id, ...change });
export const claimed: LeaseClaim = { ...caller, intentId: intent.id };

export type SellerWorld = {
  /** Successive reads of the lease; the last one stays. */
  leases?: readonly Partial<LeaseFacts>[];
  /** Successive reads of the intent; the last one stays. */
  reads?: readonly SettlementRead[];
  /** What the chain says of the authorization. */
  refused?: ErrorCode;
  claims?: readonly ClaimOutcome['outcome'][];
  /** The payment of the claim that the chain reader made. */
  foreign?: PaymentProgress | null;
  verdict?: VerifyVerdict;
  terms?: Partial<X402Terms>;
  validBeforeSeconds?: number;
  limited?: boolean;
  /** The payer is on the deny list. */
  denied?: boolean;
};

function play(world: SellerWorld) {
  const steps: string[] = [];
  const marks: Omit<MarkedAnswer, 'claimKey'>[] = [];
  const orders: SettleOrder[] = [];
  const returned: ReturnOrder[] = [];
  const taken: PaymentClaim[] = [];
  let nowMs = intent.createdAtMs;
  const next = <Item>(items: readonly Item[]) => {
    let index = 0;
    return () => items[Math.min(index++, items.length - 1)] as Item;
  };
  const step = <Result>(name: string, result: () => Result) => {
    steps.push(name);
    return result();
  };
  const lease = next(world.leases ?? [{}]);
  const read = next(world.reads ?? [paid]);
  const claim = next(world.claims ?? ['claimed']);
  const family = sampleFamily({
    checkPayout: async () => true,
    verifyAuthorization: async ({ header }) =>
      step('chain', () => {
        const direct = { bound: false, used: false, atBlock: 7n };
        const signed = { kind: 'transfer_with_authorization', byContract: false, ...header.payload, direct } as const;
        if (world.refused === undefined) return { ok: true, signed };
        return { ok: false, code: world.refused, ...(world.refused === 'insufficient_funds' && { signed }) };
      }),
  });
  const ports: FacilitatorPorts = {
    clock: { nowMs: () => nowMs },
    families: [family],
    networks: new Map([[network, { processor: `0x${'9c'.repeat(20)}`, ready: true }]]),
    settleWaitMs: 1,
    sellerWaitMs: 1_000,
    priceLifeMs: 60_000,
    facilitatorUrl: null,
    isPayerDenied: () => world.denied === true,
    findHourlyCaps: async () => [],
    rateOf: async () => acceptance.rate,
    loadMerchant: async () => ({
      enabledTokens: new Set([shortcode]),
      payouts: [wallet],
      uptoDefaultTimeoutSeconds: 1,
      uptoMaxTimeoutSeconds: 1,
      minimumUsdMicros: null,
    }),
    nextIntentCode: async () => step('code', () => 7),
    loadLease: async () => step('lease', () => ({ lease: undefined, claim: undefined, readAtMs: nowMs, ...lease() })),
    leaseAuthorization: async () => step('take lease', () => world.verdict ?? { granted: true, call: 1 }),
    beginSettle: async (order) => step('begin', () => orders.push(order) > 0),
    takeOver: async () => step('take over', () => true),
    returnLease: async (order) => step('return', () => returned.push(order) > 0),
    markAnswers: async (given) =>
      step('mark', () => void marks.push(...given.map(({ call, answer }) => ({ call, answer })))),
    pause: async (milliseconds) =>
      step('pause', () => {
        nowMs += milliseconds;
        return true;
      }),
    loadSettlement: async () => step('load', read),
    loadAcceptances: async () => [acceptance],
    loadWalletBudget: async () => OPEN_BUDGET,
    claimPayment: async (asked) =>
      step('claim', () => {
        taken.push(asked);
        return { outcome: claim(), paymentId: null } as ClaimOutcome;
      }),
    findClaim: async () => (world.foreign ? 'here' : undefined),
    loadClaimed: async () => world.foreign ?? null,
    recordRefused: async () => 'stored',
    queueRefused: async () => step('queue again', () => true),
    recordAttempt: async () => {},
    isKeyReused: async () => false,
    bindKey: async () => {},
    wakeLanes: () => {},
    loadResult: async () => undefined,
    watchResult: () => () => {},
    awaitResult: async () => step('wait', () => true),
  };
  return { ports, steps, marks, orders, returned, taken };
}

function callOf({ terms: change, validBeforeSeconds = nowSeconds + 300 }: SellerWorld) {
  const terms: X402Terms = {
    scheme: 'exact',
    network,
    amount: '1500000',
    asset: token?.address ?? '',
    payTo: WALLET,
    maxTimeoutSeconds: 300,
    extra: {},
    resource: undefined,
    ...change,
  };
  const authorization = {
    from: `0x${'aA'.repeat(20)}`,
    to: terms.payTo,
    value: terms.amount,
    validAfter: String(nowSeconds - 60),
    validBefore: String(validBeforeSeconds),
    nonce: `0x${'01'.repeat(32)}`,
  };
  const payload = { authorization, signature: `0x${'02'.repeat(65)}` };
  const given = { scheme: 'exact', network, payload, accepted: undefined, resource: undefined } as const;
  const payment: X402Payment = { version: 2, extensions: undefined, ...given };
  return { caller, payment, terms };
}

export async function settleOf(world: SellerWorld = {}) {
  const { ports, steps, ...seen } = play(world);
  const settled = await settleForSeller(ports, {
    ...callOf(world),
    requestId: 'req_1',
    limited: world.limited === true,
  });
  return { settled, steps: steps.join(', '), ...seen };
}

export async function verifyOf(world: SellerWorld = {}) {
  const { ports, steps } = play(world);
  return { told: await verifyForSeller(ports, callOf(world)), steps: steps.join(', ') };
}

/** The payment of the header failed. */
export const failedRead = (failureCode: string): SettlementRead => {
  const own = { ...(paid.own ?? missing()), failureCode };
  const payment = { ...own.payment, status: 'failed' } as const;
  return { ...open, latest: { ...own, payment }, own: { ...own, payment } };
};

function missing(): never {
  throw new Error('the sample has no payment');
}
