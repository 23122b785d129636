import type { IntentToPay, PaymentRequest, UptoRequest } from './check/payment-request.ts';
import { SvcPayError } from './error/svc-pay-error.ts';
import { developerLine } from './error/tell-developer.ts';
import { createAnnouncer } from './events/announce.ts';
import { type Attempt, beginAttempt } from './events/attempt.ts';
import type { TransactionDetail, TransactionEventType } from './events/transaction-event.ts';
import { type Credential, createService } from './http/service.ts';
import type { PaymentResult } from './pay/conclude.ts';
import { createPayment } from './pay/create-payment.ts';
import { createUptoAuthorization, type UptoAuthorization } from './pay/create-upto-authorization.ts';
import type { CallOptions, ClientDeps, PaymentCallOptions } from './pay/parts.ts';
import { createSentPayments } from './pay/sent-payments.ts';
import { hexOf, type Ports, systemPorts } from './ports.ts';
import { type WaitRequest, waitForPayment } from './wait/wait-for-payment.ts';
import type { PayerWallet } from './wallet.ts';

export type SvcPayOptions = {
  /** Where the service is, such as `https://pay.example.com`. */
  readonly baseUrl: string;
  /**
   * `pk_test_…` or `pk_live_…`. A secret key has no business in a page and is refused. Not needed where every call brings the
   * client secret of its intent.
   */
  readonly publishableKey?: string;
  /** Who signs: `evmWallet()` of `@svc-pay/sdk/evm`, `solanaWallet()` of `@svc-pay/sdk/solana`, `icpWallet()` of `@svc-pay/sdk/icp`. Not needed to wait for a payment. */
  readonly wallet?: PayerWallet;
  /**
   * Who may be paid, unless a request says so itself (`expect.payTo`): the merchant's wallet, the processor. An acceptance
   * that pays anybody else is never signed, whatever the service answers.
   */
  readonly payTo?: string | readonly string[];
  /** Also raise events as DOM events on `eventTarget`; off unless told. Listeners of `on` are always told. */
  readonly enableEvents?: boolean;
  /** The page's `window` unless told. */
  readonly eventTarget?: EventTarget;
  readonly timeouts?: {
    /** One request; 15 s. */
    readonly requestMs?: number;
    /** One settle or confirm, which waits for the chain; 40 s. */
    readonly settleMs?: number;
    /** One question to the wallet, which waits for a person; 5 min. */
    readonly walletMs?: number;
    /** From the sent payment to its end; 5 min. */
    readonly paymentMs?: number;
    /** From a transaction that the payer sent himself to its end, which waits until its block is final; 30 min. */
    readonly regularMs?: number;
  };
  /** For tests and unusual places to run in. */
  readonly ports?: Partial<Ports>;
};

/** Every call throws `SvcPayError` and nothing else. */
export type SvcPay = {
  /**
   * Pays an intent of your server, or makes one and pays it: checks, signature, settle, wait. Resolves only when the service said that the payment is completed.
   * Tells `created`, any number of `updated`, and exactly one of `completed`, `failed`, `mismatched`. Where X402 can't pay it, the
   * payer sends the money with gas of his own: `failed` is told of X402, and a second attempt with `flow: 'regular'` begins.
   */
  readonly createPayment: (
    request: PaymentRequest | IntentToPay,
    options?: PaymentCallOptions,
  ) => Promise<PaymentResult>;
  /**
   * Signs a cap and confirms it; the merchant charges later. An authorization that was confirmed is not an end and tells
   * none: `waitForPayment` with its `attemptId` does, when the merchant has charged or let go.
   */
  readonly createUptoAuthorization: (
    request: UptoRequest | IntentToPay,
    options?: CallOptions,
  ) => Promise<UptoAuthorization>;
  /** Waits for an intent to end, whoever pays it. Resolves when it is completed; throws on any other end. */
  readonly waitForPayment: (request: WaitRequest, options?: CallOptions) => Promise<PaymentResult>;
  /** Returns how to stop listening. */
  readonly on: (type: TransactionEventType, listener: (detail: TransactionDetail) => void) => () => void;
};

const ATTEMPT_ID_BYTES = 16;
const MAX_REMEMBERED_ATTEMPTS = 100;

type Beginning = { readonly id?: string; readonly flow?: TransactionDetail['flow'] };

/** One per page is enough. Throws `invalid_request` for an address or a key that can't be one; asks nobody. */
export function createSvcPay(options: SvcPayOptions): SvcPay {
  const { baseUrl, publishableKey, wallet, timeouts = {} } = options;
  if (!URL.canParse(baseUrl)) throw new SvcPayError('invalid_request', { reason: 'baseUrl' });
  if (publishableKey !== undefined && !/^pk_(?:test|live)_\w+$/.test(publishableKey)) {
    throw new SvcPayError('invalid_request', { reason: 'publishableKey' });
  }
  const ports: Ports = { ...systemPorts, ...options.ports };
  const announcer = createAnnouncer(options.enableEvents === true ? (options.eventTarget ?? pageOf()) : undefined);
  const common = {
    ports,
    wallet,
    announcer,
    sent: createSentPayments(ports.storage, ports.nowMs),
    payTo: typeof options.payTo === 'string' ? [options.payTo] : options.payTo,
    walletTimeoutMs: timeouts.walletMs ?? 300_000,
    paymentTimeoutMs: timeouts.paymentMs ?? 300_000,
    regularTimeoutMs: timeouts.regularMs ?? 1_800_000,
    beginRegular: () => begin('exact', { flow: 'regular' }),
  };
  const depsOf = (request: object): ClientDeps => {
    const credential = credentialOf(request, publishableKey);
    const requestTimeoutMs = timeouts.requestMs ?? 15_000;
    const settleTimeoutMs = timeouts.settleMs ?? 40_000;
    const service = createService(ports, { baseUrl, credential, requestTimeoutMs, settleTimeoutMs });
    return { ...common, service, hasCredential: credential !== undefined };
  };
  /** Makes a call for its credential. In test mode a failure is also explained on the console. */
  const told = async <Result>(request: object, call: (deps: ClientDeps) => Promise<Result>): Promise<Result> => {
    try {
      return await call(depsOf(request));
    } catch (problem) {
      const isTest = /^(?:pk_)?test_/.test(credentialOf(request, publishableKey)?.text ?? '');
      const line = isTest ? developerLine(problem, baseUrl) : undefined;
      if (line !== undefined) ports.warn(line);
      throw problem;
    }
  };
  const newId = () => `att_${hexOf(ports.randomBytes(ATTEMPT_ID_BYTES))}`;
  const remembered = new Map<string, Attempt>();
  const begin = (kind: TransactionDetail['kind'], { id = newId(), flow = 'x402' }: Beginning = {}): Attempt => {
    const attempt = remembered.get(id) ?? beginAttempt({ attemptId: id, kind, flow }, announcer.tell);
    remembered.delete(id);
    remembered.set(id, attempt);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED_ATTEMPTS && oldest !== undefined) remembered.delete(oldest);
    return attempt;
  };
  return {
    createPayment: (request, call = {}) => told(request, (deps) => createPayment(deps, begin('exact'), request, call)),
    createUptoAuthorization: (request, call = {}) =>
      told(request, (deps) => createUptoAuthorization(deps, begin('upto'), request, call)),
    waitForPayment: (request, call = {}) =>
      told(request, (deps) => {
        const { attemptId: id = newId(), sentTransactionId } = request;
        const flow = sentTransactionId === undefined ? 'x402' : 'regular';
        return waitForPayment(deps, begin('exact', { id, flow }), request, call);
      }),
    on: announcer.on,
  };
}

/** The client secret of a call speaks for its one intent, and wins over the key. */
function credentialOf(request: object, publishableKey: string | undefined): Credential | undefined {
  const { clientSecret } = request as { readonly clientSecret?: unknown };
  if (typeof clientSecret === 'string') return { kind: 'client_secret', text: clientSecret };
  return publishableKey === undefined ? undefined : { kind: 'publishable_key', text: publishableKey };
}

function pageOf(): EventTarget | undefined {
  const { window } = globalThis as { readonly window?: EventTarget };
  return window;
}
