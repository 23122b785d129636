// What can be done with a payment as it stands. The service checks each again.
import type { Payment } from '@svc-pay/protocol';
import type { PaymentTimeline } from '@svc-pay/protocol/merchant';
import { useState } from 'react';
import { may } from '../../api/roles.ts';
import type { PageScope } from '../../api/scope.ts';
import { ChargeSheet } from './charge-sheet.tsx';
import { ConfirmSheet } from './confirm-sheet.tsx';
import { leftOf } from './left-of.ts';
import { RefundSheet } from './refund-sheet.tsx';

type ActionsProps = {
  readonly scope: PageScope;
  readonly timeline: PaymentTimeline;
  readonly payments: readonly Payment[];
};
type Doing =
  | { readonly what: 'cancel' | 'charge' | 'release' }
  | { readonly what: 'refund' | 'accept'; readonly payment: Payment };

export function PaymentActions({ scope, timeline, payments }: ActionsProps) {
  const [doing, setDoing] = useState<Doing>();
  const { paymentIntent: intent, why } = timeline;
  const close = () => setDoing(undefined);
  const mayCharge = may(scope.role, 'charge');
  const refundable = may(scope.role, 'refund')
    ? payments.filter(
        (payment) => (payment.status === 'completed' || payment.status === 'mismatched') && leftOf(payment) !== '0',
      )
    : [];
  const acceptable = mayCharge ? payments.filter(({ status }) => status === 'mismatched') : [];
  const awaitsCharge = mayCharge && intent.x402_upto && why === 'awaits_charge';
  const isCancelable =
    mayCharge && (intent.status === 'requires_payment' || intent.status === 'mismatched') && !awaitsCharge;
  const several = (list: readonly Payment[], index: number) =>
    list.length > 1 ? ` ${index + 1} of ${list.length}` : '';
  return (
    <div className="flex flex-wrap gap-2">
      {isCancelable && (
        <button type="button" className="button grave" onClick={() => setDoing({ what: 'cancel' })}>
          Cancel
        </button>
      )}
      {awaitsCharge && (
        <>
          <button type="button" className="button" onClick={() => setDoing({ what: 'release' })}>
            Release
          </button>
          <button type="button" className="button first" onClick={() => setDoing({ what: 'charge' })}>
            Charge
          </button>
        </>
      )}
      {acceptable.map((payment, index) => (
        <button
          key={payment.id}
          type="button"
          className="button first"
          onClick={() => setDoing({ what: 'accept', payment })}
        >
          Accept{several(acceptable, index)}
        </button>
      ))}
      {refundable.map((payment, index) => (
        <button key={payment.id} type="button" className="button" onClick={() => setDoing({ what: 'refund', payment })}>
          Refund{several(refundable, index)}
        </button>
      ))}
      {doing?.what === 'refund' && <RefundSheet scope={scope} payment={doing.payment} onClose={close} />}
      {doing?.what === 'charge' && <ChargeSheet scope={scope} timeline={timeline} onClose={close} />}
      {doing?.what === 'accept' && (
        <ConfirmSheet
          scope={scope}
          intentId={intent.id}
          title="Accept this payment"
          action="Accept"
          path={`/sdk/payments/${doing.payment.id}/accept`}
          onClose={close}
        >
          The payment and what you asked for count as paid, and your server is told so. Nothing of it is due back any
          more.
        </ConfirmSheet>
      )}
      {doing?.what === 'cancel' && (
        <ConfirmSheet
          scope={scope}
          intentId={intent.id}
          title="Cancel this payment"
          action="Cancel the payment"
          path={`/sdk/payments/intents/${intent.id}/cancel`}
          grave
          onClose={close}
        >
          Nobody can pay it any more. Money that still arrives waits for you to accept or refund it.
        </ConfirmSheet>
      )}
      {doing?.what === 'release' && (
        <ConfirmSheet
          scope={scope}
          intentId={intent.id}
          title="Release this authorization"
          action="Release"
          path="/sdk/payments/x402/upto/release"
          body={{ paymentIntentId: intent.id }}
          grave
          onClose={close}
        >
          The payer owes nothing, and you can’t charge the authorization any more.
        </ConfirmSheet>
      )}
    </div>
  );
}
