import type { UptoSettleResponse } from '@svc-pay/protocol';
import type { PaymentTimeline } from '@svc-pay/protocol/merchant';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshPayment } from '../../api/payment.ts';
import { type PageScope, relay } from '../../api/scope.ts';
import { showUsd, typedToUsd } from '../../format/money.ts';
import { Notice, Problem } from '../../ui/bits.tsx';
import { Form, Submit, TextField } from '../../ui/form.tsx';
import { Sheet, SheetActions, SheetBack } from '../../ui/sheet.tsx';
import { whyWords } from '../../words/failures.ts';

export function ChargeSheet({
  scope,
  timeline,
  onClose,
}: {
  readonly scope: PageScope;
  readonly timeline: PaymentTimeline;
  readonly onClose: () => void;
}) {
  const { paymentIntent: intent } = timeline;
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  // One intention for each amount: a repeat of the same amount is the same charge.
  const [intention] = useState(() => crypto.randomUUID());
  const usd = typedToUsd(typed);
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: (settledAmountUsd: string) =>
      relay<UptoSettleResponse>(scope, '/sdk/payments/x402/upto/settle', {
        method: 'POST',
        body: { paymentIntentId: intent.id, settledAmountUsd },
        idempotencyKey: `${intention}-${settledAmountUsd}`,
      }),
    onSuccess: async ({ ok }) => {
      await refreshPayment(queries, scope, intent.id);
      if (ok) onClose();
    },
  });
  return (
    <Sheet title="Charge the authorization" onClose={onClose}>
      <Form onSubmit={() => usd !== undefined && mutate(usd)}>
        <p className="text-soft">
          The payer authorized up to{' '}
          {intent.amountUsd ? <b className="text-ink">{showUsd(intent.amountUsd)}</b> : 'a cap'}. You charge once; what
          is left stays with the payer.
        </p>
        <TextField
          label="Amount in dollars"
          inputMode="decimal"
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          placeholder="3.21"
          error={typed !== '' && usd === undefined ? 'Enter an amount above zero, such as 3.21.' : undefined}
        />
        {error !== null && <Problem of={error} />}
        {data?.ok === false && (
          <Notice tone="bad">{data.message ?? whyWords(data.error ?? 'The charge was refused.')}</Notice>
        )}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} disabled={usd === undefined}>
            {usd === undefined ? 'Charge' : `Charge ${showUsd(usd)}`}
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
