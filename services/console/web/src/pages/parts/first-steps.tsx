import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../../api/roles.ts';
import type { PageScope } from '../../api/scope.ts';
import { Card } from '../../ui/bits.tsx';
import { Icon } from '../../ui/icon.tsx';

/** What an account that has no payment yet does next, as far as the role of the person goes. */
export function FirstSteps({ scope }: { readonly scope: PageScope }) {
  const at = { mode: scope.mode, accountId: scope.accountId };
  return (
    <Card>
      <div className="px-5 pt-6 pb-2 sm:px-8">
        <h2 className="text-[1.15rem]">No payments yet</h2>
        <p className="mt-1 max-w-xl text-soft">
          {scope.mode === 'test'
            ? 'This is test mode: pay yourself with play money and see here what your customers’ payments will look like.'
            : 'Figures appear here some seconds after the first payment.'}
        </p>
      </div>
      <ol className="divide-y divide-line px-5 pb-3 sm:px-8">
        <Step title="Ask for a payment" about="A link that anybody opens and pays with a wallet.">
          {may(scope.role, 'charge') && (
            <Link to="/$mode/$accountId/new" params={at} className="button first">
              <Icon name="link" /> New payment link
            </Link>
          )}
        </Step>
        <Step title="Connect your server" about="An API key lets it create payments by itself.">
          {may(scope.role, 'keys') && (
            <Link to="/$mode/$accountId/keys" params={at} className="button">
              <Icon name="key" /> API keys
            </Link>
          )}
        </Step>
        <Step title="Hear what happens" about="A webhook tells your server when a payment has arrived.">
          {may(scope.role, 'webhooks') && (
            <Link to="/$mode/$accountId/endpoints" params={at} className="button">
              <Icon name="endpoint" /> Webhooks
            </Link>
          )}
        </Step>
      </ol>
    </Card>
  );
}

type StepProps = { readonly title: string; readonly about: string; readonly children: ReactNode };

const Step = ({ title, about, children }: StepProps) => (
  <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-4">
    <div className="min-w-0">
      <p className="font-semibold">{title}</p>
      <p className="text-soft">{about}</p>
    </div>
    {children}
  </li>
);
