// Refunds: the merchant's own wallet signs in the page, or the merchant reports a transfer that was made elsewhere.
import type { Payment } from '@svc-pay/protocol';
import type { CreatedRefund, CreateRefundRequest } from '@svc-pay/protocol/merchant';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshPayment } from '../../api/payment.ts';
import { type PageScope, relay } from '../../api/scope.ts';
import { symbolOf } from '../../format/chains.ts';
import { showAtomic, typedToAtomic } from '../../format/money.ts';
import { Copy, Notice, Problem } from '../../ui/bits.tsx';
import { Form, Submit, TextField } from '../../ui/form.tsx';
import { Sheet, SheetActions, SheetBack } from '../../ui/sheet.tsx';
import { leftOf } from './left-of.ts';

type RefundProps = { readonly scope: PageScope; readonly payment: Payment; readonly onClose: () => void };

const MAX_REASON = 200;
const TRANSACTION = /^(?:0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88}|[a-z2-7-]{5,63}:\d{1,19})$/;

export function RefundSheet({ scope, payment, onClose }: RefundProps) {
  // Ledgers of the Internet Computer take no transfer that somebody else sends.
  const [way, setWay] = useState<'sign' | 'report'>(payment.network === 'ic' ? 'report' : 'sign');
  const tab = (of: typeof way) =>
    `flex-1 rounded-md px-3 py-1.5 font-medium ${way === of ? 'bg-card text-ink shadow-sm' : 'text-soft hover:text-ink'}`;
  return (
    <Sheet title="Refund" onClose={onClose}>
      <div role="group" aria-label="Way to refund" className="flex gap-1 rounded-lg bg-sunk p-1">
        <button type="button" className={tab('sign')} aria-pressed={way === 'sign'} onClick={() => setWay('sign')}>
          Sign with my wallet
        </button>
        <button
          type="button"
          className={tab('report')}
          aria-pressed={way === 'report'}
          onClick={() => setWay('report')}
        >
          I already sent it
        </button>
      </div>
      {way === 'sign' ? (
        <SignForm scope={scope} payment={payment} onClose={onClose} />
      ) : (
        <ReportForm scope={scope} payment={payment} onClose={onClose} />
      )}
    </Sheet>
  );
}

const create = (scope: PageScope, payment: Payment, body: CreateRefundRequest, idempotencyKey: string) =>
  relay<CreatedRefund>(scope, `/sdk/payments/${payment.id}/refunds`, { method: 'POST', body, idempotencyKey });

/** The same for each repeat of one refund, another for every other. Visible ASCII of any length of the reason. */
async function keyFor(intention: string, body: CreateRefundRequest): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(body)));
  return `${intention}-${Array.from(new Uint8Array(digest).slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function SignForm({ scope, payment, onClose }: RefundProps) {
  const queries = useQueryClient();
  const decimals = payment.decimals ?? 0;
  const symbol = symbolOf(payment.tokenShortcode);
  const left = leftOf(payment);
  const [typed, setTyped] = useState(() => showAtomic(left, decimals).replaceAll(',', ''));
  const [reason, setReason] = useState('');
  const [wallets, setWallets] = useState({ from: '', refundTo: '' });
  const [intention] = useState(() => crypto.randomUUID());
  const [step, setStep] = useState<string>();
  const amount = typedToAtomic(typed, decimals);
  const isTooMuch = amount !== undefined && BigInt(amount) > BigInt(left);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (atomic: string) => {
      setStep('Preparing the refund …');
      const { signRefund } = await import('../../wallet/sign-refund.ts');
      const [from, refundTo] = [wallets.from.trim() || null, wallets.refundTo.trim() || null];
      const body = { amount: atomic, reason: reason.trim() || null, from, refundTo };
      const { refund, sign } = await create(scope, payment, body, await keyFor(intention, body));
      if (sign === null) return refund;
      setStep('Your wallet asks you to sign …');
      const submission = await signRefund({ refund, sign, payment, amount: atomic, refundTo, mode: scope.mode });
      setStep('Handing over the signature …');
      await relay(scope, `/sdk/refunds/${refund.id}/submit`, {
        method: 'POST',
        body: submission,
        idempotencyKey: `${intention}-submit-${refund.id}`,
      });
      return refund;
    },
    onSuccess: onClose,
    onSettled: async () => {
      setStep(undefined);
      await refreshPayment(queries, scope, payment.paymentIntentId);
    },
  });
  return (
    <Form onSubmit={() => amount !== undefined && mutate(amount)}>
      <p className="text-soft">
        The service holds none of your money: the wallet that was paid signs the refund, and the service sends it and
        pays the gas.
        {payment.payer && (
          <>
            {' '}
            It goes to <Copy text={payment.payer} label="payer" />.
          </>
        )}
      </p>
      <TextField
        label={`Amount in ${symbol}`}
        inputMode="decimal"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        hint={`${showAtomic(left, decimals)} ${symbol} can be refunded.`}
        error={
          isTooMuch
            ? `At most ${showAtomic(left, decimals)} ${symbol} are left.`
            : amount === undefined
              ? 'Enter an amount above zero.'
              : undefined
        }
      />
      <TextField
        label="Reason"
        value={reason}
        maxLength={MAX_REASON}
        onChange={(event) => setReason(event.currentTarget.value)}
        hint="For your records; the payer does not see it."
      />
      <details>
        <summary className="text-soft">Other wallets</summary>
        <div className="mt-3 grid gap-4">
          <TextField
            label="From wallet"
            value={wallets.from}
            spellCheck={false}
            onChange={({ currentTarget: { value } }) => setWallets((now) => ({ ...now, from: value }))}
            hint="Another wallet of yours that receives payments on this network. Empty: the one that was paid."
          />
          <TextField
            label="To address"
            value={wallets.refundTo}
            spellCheck={false}
            onChange={({ currentTarget: { value } }) => setWallets((now) => ({ ...now, refundTo: value }))}
            hint="Only where the payer’s own address can’t receive the refund. Ask the payer for it."
          />
        </div>
      </details>
      {step !== undefined && <Notice tone="note">{step}</Notice>}
      {error !== null && <Problem of={error} />}
      <SheetActions>
        <SheetBack onClose={onClose} />
        <Submit busy={isPending} disabled={amount === undefined || isTooMuch}>
          {amount === undefined ? 'Refund' : `Refund ${showAtomic(amount, decimals)} ${symbol}`}
        </Submit>
      </SheetActions>
    </Form>
  );
}

function ReportForm({ scope, payment, onClose }: RefundProps) {
  const queries = useQueryClient();
  const [transactionId, setTransactionId] = useState('');
  const [reason, setReason] = useState('');
  const [intention] = useState(() => crypto.randomUUID());
  const given = transactionId.trim();
  const isId = TRANSACTION.test(given);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      create(scope, payment, { transactionId: given, reason: reason.trim() || null }, `${intention}-${given}`),
    onSuccess: async () => {
      await refreshPayment(queries, scope, payment.paymentIntentId);
      onClose();
    },
  });
  return (
    <Form onSubmit={() => isId && mutate()}>
      <p className="text-soft">
        Name the transaction in which your wallet sent the token back to the payer. The service proves it on the chain
        and books it.
      </p>
      <TextField
        label="Transaction"
        value={transactionId}
        spellCheck={false}
        autoFocus
        onChange={(event) => setTransactionId(event.currentTarget.value)}
        placeholder="0x…"
        error={given !== '' && !isId ? 'This is no whole id of a transaction.' : undefined}
      />
      <TextField
        label="Reason"
        value={reason}
        maxLength={MAX_REASON}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {error !== null && <Problem of={error} />}
      <SheetActions>
        <SheetBack onClose={onClose} />
        <Submit busy={isPending} disabled={!isId}>
          Report the refund
        </Submit>
      </SheetActions>
    </Form>
  );
}
