// One attempt with one wallet, from the intent to its end. The record is written between the signature and its sending, so
// that a page that dies right after knows when it comes back.
import { type Authorized, createSvcPay, type PayerWallet } from '@svc-pay/sdk';
import type { Stage } from '../stage.ts';
import type { WalletOffer } from '../wallets/wallet-kind.ts';
import { endOf, remember } from './end-of.ts';
import type { Scene } from './scene.ts';
import { secretOf } from './secret-of.ts';
import { tellUptoSubmitted } from './tell-page.ts';

const DEFAULT_WINDOW_SECONDS = 300;
/** Beyond the signature's window, for clocks that differ and requests that were under way. */
const MARGIN_SECONDS = 60;

/** Never rejects. */
export async function beginPayment(scene: Scene, offer: WalletOffer): Promise<void> {
  const { settings, records, show, signal, nowMs } = scene;
  const { baseUrl, mode, payment, key, order } = settings;
  const { request, ...credential } = payment;
  let paymentIntentId: string | null = null;
  let isUnderWay = false;
  const onSigned = ({ acceptance }: Authorized) => {
    if (paymentIntentId === null) return;
    const seconds = (acceptance.maxTimeoutSeconds ?? DEFAULT_WINDOW_SECONDS) + MARGIN_SECONDS;
    records.save(key, { paymentIntentId, savedAtMs: nowMs(), takenBeforeMs: nowMs() + seconds * 1_000 });
    show({ name: 'sending' });
  };
  const opened = offer.open({
    onQuestion: (name) => show({ name, wallet: offer.name }),
    chooseToken: scene.chooseToken,
  });
  const pay = createSvcPay({ baseUrl, ...credential, wallet: noting(opened, onSigned), enableEvents: true });
  pay.on('svc-sdk-transaction-created', (detail) => {
    paymentIntentId = detail.paymentIntentId;
    show({ name: 'preparing' }, { paymentIntentId });
  });
  pay.on('svc-sdk-transaction-updated', ({ status, network, transactionId }) => {
    if (status !== 'processing') return;
    isUnderWay = true;
    show({ name: 'settling', network }, { transactionId });
  });
  const run = async (): Promise<Stage> => {
    if (mode === 'exact') {
      const { transactionId } = await pay.createPayment(request, { signal });
      return { name: 'paid', transactionId };
    }
    const authorization = await pay.createUptoAuthorization(request, { signal });
    const { capAmount, asset, network, payer, expiresAt, attemptId, status } = authorization;
    if (status !== 'requires_payment') {
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
  const end = await run().catch((problem: unknown) => endOf(problem, isUnderWay));
  remember(records, settings, end);
  show(end, end.name === 'paid' ? { transactionId: end.transactionId } : {});
}

/** The same wallet, with a word when it has signed and before anything is sent. */
function noting(wallet: PayerWallet, onSigned: (authorized: Authorized) => void): PayerWallet {
  return {
    ...wallet,
    async authorize(acceptances, call) {
      const authorized = await wallet.authorize(acceptances, call);
      onSigned(authorized);
      return authorized;
    },
  };
}
