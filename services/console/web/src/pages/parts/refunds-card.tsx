// The refunds of a payment, and what can still be done with them.
import type { PaymentTimeline, Refund } from '@svc-pay/protocol/merchant';
import { useState } from 'react';
import { may } from '../../api/roles.ts';
import type { PageScope } from '../../api/scope.ts';
import { Card, Copy, ExternalLink, StateBadge, Time } from '../../ui/bits.tsx';
import { whyWords } from '../../words/failures.ts';
import { REFUND_WORDS } from '../../words/states.ts';
import { ConfirmSheet } from './confirm-sheet.tsx';
import type { ShowAmount } from './units.ts';

type RefundsProps = { readonly scope: PageScope; readonly timeline: PaymentTimeline; readonly units: ShowAmount };

/** Nothing where nothing was refunded. */
export function RefundsCard({ scope, timeline, units }: RefundsProps) {
  const [canceling, setCanceling] = useState<Refund>();
  const refunds = timeline.entries.flatMap((entry) => (entry.kind === 'refund_started' ? [entry.refund] : []));
  if (refunds.length === 0) return null;
  return (
    <Card title="Refunds">
      <ul className="divide-y divide-line px-4 py-1">
        {refunds.map((refund) => (
          <li key={refund.id} className="grid gap-1 py-2.5">
            <div className="flex items-center justify-between gap-3">
              <b>{refund.amount === null ? 'Being read from the chain' : units(refund.amount, refund.token)}</b>
              <StateBadge words={REFUND_WORDS[refund.status]} />
            </div>
            <p className="text-[0.929rem] text-soft">
              {refund.failureCode === null ? REFUND_WORDS[refund.status].why : whyWords(refund.failureCode)}
            </p>
            <div className="flex flex-wrap items-center gap-x-3 text-[0.929rem]">
              <Copy text={refund.id} label="refund id" />
              {refund.explorerUrl !== null && <ExternalLink href={refund.explorerUrl}>Explorer</ExternalLink>}
              {refund.status === 'prepared' && refund.expiresAt !== null && (
                <span className="text-soft">
                  to be signed <Time iso={refund.expiresAt} />
                </span>
              )}
              {refund.status === 'prepared' && may(scope.role, 'refund') && (
                <button type="button" className="button small grave" onClick={() => setCanceling(refund)}>
                  Cancel refund
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {canceling !== undefined && (
        <ConfirmSheet
          scope={scope}
          intentId={timeline.paymentIntent.id}
          title="Cancel this refund"
          action="Cancel the refund"
          path={`/sdk/refunds/${canceling.id}/cancel`}
          grave
          onClose={() => setCanceling(undefined)}
        >
          The service will not send it. If your wallet already signed it, whoever has the signature could still send it
          until it expires.
        </ConfirmSheet>
      )}
    </Card>
  );
}
