// One attempt with one wallet, from the intent to its end. The record is written between the signature and its sending, or
// before a wallet is asked to send the money itself, so that a page that dies right after knows when it comes back.
import { type Authorized, createSvcPay, type PayerWallet, SvcPayError } from '@svc-pay/sdk';
import type { OpenPayment } from '../record/open-payments.ts';
import type { Stage } from '../stage.ts';
import type { WalletOffer } from '../wallets/wallet-kind.ts';
import { endOf, remember } from './end-of.ts';
import type { Scene } from './scene.ts';
import { secretOf } from './secret-of.ts';
import { tellUptoSubmitted } from './tell-page.ts';

const DEFAULT_WINDOW_SECONDS = 300;
/** Beyond the signature's window, for clocks that differ and requests that were under way. */
const MARGIN_SECONDS = 60;
/** A wallet that was asked to send may do so for some minutes, and its block takes up to half an hour to be final. */
const REGULAR_SECONDS = 2_100;

/** Never rejects. */
export async function beginPayment(scene: Scene, offer: WalletOffer): Promise<void> {
  const { settings, records, show, signal, nowMs } = scene;
  const { baseUrl, mode, payment, key, order } = settings;
  const { request, ...credential } = payment;
  let paymentIntentId: string | null = null;
  let isUnderWay = false;
  let isAsked = false;
  const earlier = refusedEarlier(scene);
  /** A signature of this attempt that left the page. */
  let shown: OpenPayment | undefined;
  const save = (seconds: number, more: Partial<OpenPayment> = {}): OpenPayment | undefined => {
    if (paymentIntentId === null) return undefined;
    const takenBeforeMs = Math.max(nowMs() + seconds * 1_000, earlier?.takenBeforeMs ?? 0);
    const record = { paymentIntentId, savedAtMs: nowMs(), takenBeforeMs, ...more };
    records.save(key, record);
    return record;
  };
  const notes: Notes = {
    signed({ acceptance }) {
      shown = save((acceptance.maxTimeoutSeconds ?? DEFAULT_WINDOW_SECONDS) + MARGIN_SECONDS);
      show({ name: 'sending' });
    },
    regular() {
      // The SDK goes on to the regular flow only where nothing that was shown can be taken.
      shown = undefined;
      records.forget(key);
    },
    asking() {
      isAsked = true;
      save(REGULAR_SECONDS, { isRegular: true });
    },
    sent(transactionId) {
      if (transactionId !== null) save(REGULAR_SECONDS, { isRegular: true, transactionId, wallet: offer.name });
      isAsked = transactionId === null;
      isUnderWay = transactionId !== null;
      show({ name: 'confirming' }, { transactionId });
    },
  };
  const opened = offer.open({
    onQuestion: (name) => show({ name, wallet: offer.name }),
    chooseToken: scene.chooseToken,
  });
  const pay = createSvcPay({
    baseUrl,
    ...credential,
    wallet: noting(opened, notes),
    enableEvents: true,
    // The button remembers by order, over many intents, and its `reset()` forgets.
    ports: { storage: undefined },
  });
  pay.on('svc-sdk-transaction-created', (detail) => {
    paymentIntentId = detail.paymentIntentId;
    show({ name: 'preparing' }, { paymentIntentId });
  });
  pay.on('svc-sdk-transaction-updated', ({ status, network, transactionId }) => {
    if (status !== 'processing') return;
    isUnderWay = true;
    isAsked = false;
    show({ name: 'settling', network }, { transactionId });
  });
  const run = async (): Promise<Stage> => {
    if (mode === 'exact') {
      const { transactionId } = await pay.createPayment(request, {
        signal,
        ...(earlier !== undefined && { earlierUntilMs: earlier.takenBeforeMs }),
      });
      return { name: 'paid', transactionId };
    }
    const authorization = await pay.createUptoAuthorization(request, { signal });
    const { capAmount, asset, network, payer, expiresAt, attemptId, status } = authorization;
    if (status !== 'requires_payment' && status !== 'mismatched') {
      // Confirmed on another page, and the merchant charges it or has.
      const charged = { paymentIntentId: authorization.paymentIntentId, attemptId, ...secretOf(request) };
      const { transactionId } = await pay.waitForPayment(charged, { signal });
      return { name: 'paid', transactionId };
    }
    const record = records.find(key);
    if (record !== undefined) records.save(key, { ...record, isTold: true });
    tellUptoSubmitted({
      paymentIntentId: authorization.paymentIntentId,
      order: order ?? null,
      capAmount,
      asset,
      network,
      payer,
      expiresAt,
    });
    return { name: 'authorized', expiresAt };
  };
  show({ name: 'preparing' });
  const end = await run().catch((problem: unknown) => {
    // Whoever asks again asks for the earlier one, until it is dead.
    if (earlier !== undefined && isBeside(problem)) records.save(key, { ...earlier, isRefused: false });
    return endOf(problem, isUnderWay, isAsked);
  });
  remember(records, settings, end, end.name === 'failed' ? (shown ?? earlier) : earlier);
  show(end, end.name === 'paid' ? { transactionId: end.transactionId } : {});
}

/** What the service refused earlier for the same thing, while it could still be taken. */
function refusedEarlier({ records, settings, nowMs }: Scene): OpenPayment | undefined {
  const record = records.find(settings.key);
  return record?.isRefused === true && record.takenBeforeMs > nowMs() ? record : undefined;
}

const isBeside = (problem: unknown): boolean => problem instanceof SvcPayError && problem.reason === 'earlier_payment';

type Notes = {
  readonly signed: (authorized: Authorized) => void;
  /** The regular flow begins. */
  readonly regular: () => void;
  /** The wallet is about to be asked to send the money. */
  readonly asking: () => void;
  readonly sent: (transactionId: string | null) => void;
};

/** The same wallet, with a word when it has signed and before anything is sent. */
function noting(wallet: PayerWallet, notes: Notes): PayerWallet {
  const { payRegularly } = wallet;
  return {
    ...wallet,
    async authorize(acceptances, call) {
      const authorized = await wallet.authorize(acceptances, call);
      notes.signed(authorized);
      return authorized;
    },
    ...(payRegularly !== undefined && {
      async payRegularly(options, call) {
        notes.regular();
        const beforePay: typeof call.beforePay = async (terms) => {
          await call.beforePay(terms);
          notes.asking();
        };
        const payment = await payRegularly(options, { ...call, beforePay });
        notes.sent(payment.transactionId);
        return payment;
      },
    }),
  };
}
