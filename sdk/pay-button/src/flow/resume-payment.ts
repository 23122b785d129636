// What became of a payment that was sent earlier: asked of the service, never signed or sent anew. A service that still waits
// for payment when the signature can no longer be taken has never had it; then, and only then, nothing was charged. Of a
// transaction that a wallet sent, the service alone can say that.
import { createSvcPay, type PayerWallet, TRANSACTION_EVENTS, type TransactionDetail } from '@svc-pay/sdk';
import type { OpenPayment } from '../record/open-payments.ts';
import type { Stage } from '../stage.ts';
import { endOf, remember } from './end-of.ts';
import type { Scene } from './scene.ts';
import { secretOf } from './secret-of.ts';
import { tellTransaction, tellUptoSubmitted } from './tell-page.ts';

/** Long enough for the window of an exact payment to end meanwhile. */
const LONGEST_ROUND_MS = 420_000;
const LAST_ROUND_MS = 60_000;

/** Never rejects. Ends in at most eight minutes. */
export async function resumePayment(scene: Scene, open: OpenPayment): Promise<void> {
  const { settings, records, signal, show, nowMs } = scene;
  const { paymentIntentId } = open;
  const { transactionId = null } = open;
  show(transactionId === null ? { name: 'checking' } : { name: 'confirming' }, { paymentIntentId, transactionId });
  const leftMs = open.takenBeforeMs - nowMs();
  let end = leftMs > 0 ? await askFor(scene, open, Math.min(leftMs, LONGEST_ROUND_MS)) : undefined;
  if (end === undefined || (end.name === 'unknown' && nowMs() >= open.takenBeforeMs && !signal.aborted)) {
    end = await askFor(scene, open, LAST_ROUND_MS);
  }
  if (signal.aborted) return;
  // The service's `failed` is no proof that nobody else carries the signature to the chain.
  const mayBeTaken = open.isRegular !== true && open.takenBeforeMs > nowMs();
  remember(records, settings, end, mayBeTaken ? open : undefined);
  show(end, end.name === 'paid' ? { transactionId: end.transactionId } : {});
}

async function askFor(scene: Scene, open: OpenPayment, timeoutMs: number): Promise<Stage> {
  const { settings, signal, show, nowMs } = scene;
  const { baseUrl, mode, payment } = settings;
  const { request, ...credential } = payment;
  const enough = new AbortController();
  const { isRegular = false, transactionId: sentTransactionId } = open;
  const isSent = sentTransactionId !== undefined;
  let isUnderWay = isSent;
  let found: Stage | undefined;
  const conclude = (stage: Stage) => {
    found = stage;
    enough.abort();
  };
  const hear = (detail: TransactionDetail) => {
    const { status, authorizedCap, network, transactionId } = detail;
    isUnderWay = isSent || status === 'processing';
    if (status === 'processing') show({ name: 'settling', network }, { transactionId });
    // A part that somebody sent leaves the whole to be paid.
    else if (status !== 'requires_payment' && status !== 'mismatched') return;
    else if (mode === 'upto' && authorizedCap !== null) {
      tellOnce(scene, open, detail);
      conclude({ name: 'authorized', expiresAt: null });
    } else if (!isSent && nowMs() >= open.takenBeforeMs) {
      conclude({ name: 'failed', code: isRegular ? 'nothing_arrived' : 'not_received' });
    }
  };
  const wallet = isSent ? await sender(scene, open) : undefined;
  const pay = createSvcPay({ baseUrl, ...credential, ...(wallet && { wallet }), ports: { storage: undefined } });
  pay.on('svc-sdk-transaction-updated', hear);
  for (const type of TRANSACTION_EVENTS) {
    // Who turns away from waiting has not failed: the page hears of ends that the service spoke of.
    const isOurs = (code: string | undefined) => code === 'aborted' || code === 'outcome_unknown';
    pay.on(type, (detail) => {
      if (!isOurs(detail.error?.code)) tellTransaction(type, detail);
    });
  }
  try {
    const { transactionId } = await pay.waitForPayment(
      {
        paymentIntentId: open.paymentIntentId,
        endsOnMismatch: open.isMismatched === true,
        ...secretOf(request),
        ...(isSent && { sentTransactionId }),
      },
      { signal: AbortSignal.any([signal, enough.signal]), timeoutMs },
    );
    return { name: 'paid', transactionId };
  } catch (problem) {
    return found ?? endOf(problem, isUnderWay, isRegular && !isUnderWay);
  }
}

/** The wallet that sent it: it knows of a transaction that moved nothing. It is asked nothing that it shows to the payer. */
async function sender({ findWallets, chooseToken }: Scene, { wallet }: OpenPayment): Promise<PayerWallet | undefined> {
  if (wallet === undefined) return undefined;
  const offers = await findWallets();
  return offers.find(({ name }) => name === wallet)?.open({ onQuestion: () => {}, chooseToken });
}

function tellOnce({ settings, records }: Scene, open: OpenPayment, detail: TransactionDetail): void {
  if (open.isTold === true) return;
  records.save(settings.key, { ...open, isTold: true });
  const { asset, network, payer, authorizedCap } = detail;
  const { paymentIntentId } = open;
  const order = settings.order ?? null;
  tellUptoSubmitted({ paymentIntentId, order, capAmount: authorizedCap, asset, network, payer, expiresAt: null });
}
