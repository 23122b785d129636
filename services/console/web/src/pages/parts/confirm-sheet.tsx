import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { refreshPayment } from '../../api/payment.ts';
import { type PageScope, relay } from '../../api/scope.ts';
import { Problem } from '../../ui/bits.tsx';
import { Form, Submit } from '../../ui/form.tsx';
import { Sheet, SheetActions, SheetBack } from '../../ui/sheet.tsx';

export type ConfirmProps = {
  readonly scope: PageScope;
  readonly intentId: string;
  readonly title: string;
  readonly action: string;
  readonly path: string;
  readonly body?: unknown;
  readonly grave?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** One question before one request that can't be taken back. */
export function ConfirmSheet({
  scope,
  intentId,
  title,
  action,
  path,
  body = {},
  grave = false,
  onClose,
  children,
}: ConfirmProps) {
  const queries = useQueryClient();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => relay(scope, path, { method: 'POST', body, idempotencyKey }),
    onSuccess: async () => {
      await refreshPayment(queries, scope, intentId);
      onClose();
    },
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p>{children}</p>
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} grave={grave}>
            {action}
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
