// What the end of an attempt means for the button, and for what is remembered of it.
import { SvcPayError } from '@svc-pay/sdk';
import type { OpenPayment, OpenPayments } from '../record/open-payments.ts';
import type { Settings } from '../settings/settings.ts';
import type { Stage } from '../stage.ts';

/** An attempt that threw. Whatever is not known to have moved nothing is `unknown`. */
export function endOf(problem: unknown, isUnderWay: boolean, isAsked = false): Stage {
  const unknown: Stage = { name: 'unknown', isUnderWay, ...(isAsked && { isAsked }) };
  if (!(problem instanceof SvcPayError)) return unknown;
  const { code, moneyMoved, reason } = problem;
  if (moneyMoved === 'yes') return { name: 'mismatched' };
  if (moneyMoved === 'unknown') return unknown;
  // The payer turned back on this page, which needs no words.
  if (code === 'aborted' || (code === 'wallet_closed' && reason === 'chooseToken')) return { name: 'ready' };
  return { name: 'failed', code };
}

/**
 * While a payment may still move money its record stays. A thing with a name of its own, an order or an intent, is also
 * remembered once paid, so that a reload shows it; without a name the next payer may want the same once more. `refused`: a
 * signature that the service refused and that could still be taken; the next attempt has to know of it.
 */
export function remember(
  records: OpenPayments,
  { key, order, payment }: Settings,
  end: Stage,
  refused?: OpenPayment,
): void {
  const isNamed = order !== undefined || 'paymentIntentId' in payment.request;
  const isDone = end.name === 'paid' || end.name === 'authorized';
  const isOver = end.name === 'ready' || end.name === 'failed';
  const record = end.name === 'mismatched' ? records.find(key) : undefined;
  if (record !== undefined) records.save(key, { ...record, isMismatched: true });
  if (isOver && refused !== undefined) records.save(key, { ...refused, isRefused: true });
  else if (isOver || (isDone && !isNamed)) records.forget(key);
}
