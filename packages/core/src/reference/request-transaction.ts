// The transaction by which a payer pays an intent with his own wallet and his own gas: a Solana Pay transaction request.
import type { AtomicAmount } from '@svc-pay/money';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import { isConfirmed } from '../intent/intent.ts';
import type { LoadPayable } from '../intent/regular-options.ts';
import { remainingOf } from '../intent/remaining-amount.ts';
import type { RequestedTransfer } from '../settlement/payment-family.ts';
import { findPreparable, type Refusal } from '../settlement/prepare-payment.ts';
import type { SettlePorts } from '../settlement/settle-ports.ts';
import type { OpenReference } from './reference-store.ts';

export type RequestTransactionPorts = Pick<SettlePorts, 'clock' | 'families' | 'isPayerDenied' | 'loadSettlement'> & {
  readonly loadPayable: LoadPayable;
  readonly openReference: OpenReference;
};

export type TransactionCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly payer: string;
  /** Of the acceptance to pay. */
  readonly tokenShortcode: string;
};

export type RequestedTransaction =
  | (Extract<RequestedTransfer, { ok: true }> & { readonly amount: AtomicAmount })
  | Refusal;

/** A transaction that is handed out later would come into a block after the end: wallets take their time, up to a minute. */
const LAST_ASKED_MS = 60_000;

export async function requestTransaction(
  ports: RequestTransactionPorts,
  { caller, intentId, payer, tokenShortcode }: TransactionCall,
): Promise<RequestedTransaction> {
  const loadAcceptances = async () => {
    const { terms, parts } = await ports.loadPayable(caller, intentId);
    const meant = terms.filter(
      ({ token, scheme, payoutWithdrawn }) =>
        token.shortcode === tokenShortcode && scheme === 'exact' && payoutWithdrawn !== true,
    );
    return meant.flatMap((one) => {
      const remaining = remainingOf(one, parts);
      return remaining === undefined ? [] : [{ ...one, amount: remaining.amount }];
    });
  };
  const found = await findPreparable({ ...ports, loadAcceptances }, { caller, intentId, payer, echo: null });
  if (!found.ok) return found;
  const { intent, transactions, wanted } = found;
  if (isConfirmed(intent) || intent.expiresAtMs - ports.clock.nowMs() < LAST_ASKED_MS)
    return { ok: false, code: 'intent_not_payable' };
  const { accountId, mode } = caller;
  const { network } = wanted.acceptance;
  const intentCode = BigInt(intent.intentCode);
  const made = await transactions.request({
    ...wanted,
    open: (reference, feeRecipient) =>
      ports.openReference(
        { accountId, mode, intentId, intentCode, network, reference, feeRecipient },
        ports.clock.nowMs(),
      ),
  });
  return made.ok ? { ...made, amount: wanted.acceptance.amount } : made;
}
