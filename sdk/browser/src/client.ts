import type { PaymentRequest, UptoRequest } from './check/payment-request.ts';
import { SvcPayError } from './error/svc-pay-error.ts';
import { createAnnouncer } from './events/announce.ts';
import { type Attempt, beginAttempt } from './events/attempt.ts';
import type { TransactionDetail, TransactionEventType } from './events/transaction-event.ts';
import { createService } from './http/service.ts';
import type { PaymentResult } from './pay/conclude.ts';
import { createPayment } from './pay/create-payment.ts';
import { createUptoAuthorization, type UptoAuthorization } from './pay/create-upto-authorization.ts';
import type { CallOptions, ClientDeps } from './pay/parts.ts';
import { hexOf, type Ports, systemPorts } from './ports.ts';
import { type WaitRequest, waitForPayment } from './wait/wait-for-payment.ts';
import type { PayerWallet } from './wallet.ts';

export type SvcPayOptions = {
  /** Where the service is, such as `https://pay.example.com`. */
  readonly baseUrl: string;
  /** `pk_test_…` or `pk_live_…`. A secret key has no business in a page and is refused. */
  readonly publishableKey: string;
  /** Who signs: `evmWallet()` of `@svc-pay/sdk/evm`, `solanaWallet()` of `@svc-pay/sdk/solana`. Not needed to wait for a payment. */
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
  };
  /** For tests and unusual places to run in. */
  readonly ports?: Partial<Ports>;
};

/** Every call throws `SvcPayError` and nothing else. */
export type SvcPay = {
  /**
   * Pays: intent, checks, signature, settle, wait. Resolves only when the service said that the payment is completed.
   * Tells `created`, any number of `updated`, and exactly one of `completed`, `failed`, `mismatched`.
   */
  readonly createPayment: (request: PaymentRequest, options?: CallOptions) => Promise<PaymentResult>;
  /**
   * Signs a cap and confirms it; the merchant charges later. An authorization that was confirmed is not an end and tells
   * none: `waitForPayment` with its `attemptId` does, when the merchant has charged or let go.
   */
  readonly createUptoAuthorization: (request: UptoRequest, options?: CallOptions) => Promise<UptoAuthorization>;
  /** Waits for an intent to end, whoever pays it. Resolves when it is completed; throws on any other end. */
  readonly waitForPayment: (request: WaitRequest, options?: CallOptions) => Promise<PaymentResult>;
  /** Returns how to stop listening. */
  readonly on: (type: TransactionEventType, listener: (detail: TransactionDetail) => void) => () => void;
};

const ATTEMPT_ID_BYTES = 16;
const MAX_REMEMBERED_ATTEMPTS = 100;

/** One per page is enough. Throws `invalid_request` for an address or a key that can't be one; asks nobody. */
export function createSvcPay(options: SvcPayOptions): SvcPay {
  const { baseUrl, publishableKey, wallet, timeouts = {} } = options;
  if (!URL.canParse(baseUrl)) throw new SvcPayError('invalid_request', { reason: 'baseUrl' });
  if (!/^pk_(?:test|live)_\w+$/.test(publishableKey)) {
    throw new SvcPayError('invalid_request', { reason: 'publishableKey' });
  }
  const ports: Ports = { ...systemPorts, ...options.ports };
  const announcer = createAnnouncer(options.enableEvents === true ? (options.eventTarget ?? pageOf()) : undefined);
  const deps: ClientDeps = {
    ports,
    wallet,
    announcer,
    payTo: typeof options.payTo === 'string' ? [options.payTo] : options.payTo,
    service: createService(ports, {
      baseUrl,
      publishableKey,
      requestTimeoutMs: timeouts.requestMs ?? 15_000,
      settleTimeoutMs: timeouts.settleMs ?? 40_000,
    }),
    walletTimeoutMs: timeouts.walletMs ?? 300_000,
    paymentTimeoutMs: timeouts.paymentMs ?? 300_000,
  };
  const remembered = new Map<string, Attempt>();
  const begin = (
    kind: TransactionDetail['kind'],
    id = `att_${hexOf(ports.randomBytes(ATTEMPT_ID_BYTES))}`,
  ): Attempt => {
    const attempt = remembered.get(id) ?? beginAttempt(id, kind, announcer.tell);
    remembered.delete(id);
    remembered.set(id, attempt);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED_ATTEMPTS && oldest !== undefined) remembered.delete(oldest);
    return attempt;
  };
  return {
    createPayment: (request, call = {}) => createPayment(deps, begin('exact'), request, call),
    createUptoAuthorization: (request, call = {}) => createUptoAuthorization(deps, begin('upto'), request, call),
    waitForPayment: (request, call = {}) => waitForPayment(deps, begin('exact', request.attemptId), request, call),
    on: announcer.on,
  };
}

function pageOf(): EventTarget | undefined {
  const { window } = globalThis as { readonly window?: EventTarget };
  return window;
}
