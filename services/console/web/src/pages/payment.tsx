import type { Payment, PaymentIntent } from '@svc-pay/protocol';
import type { PaymentTimeline } from '@svc-pay/protocol/merchant';
import { Link, useParams } from '@tanstack/react-router';
import { usePayments, useTimeline } from '../api/payment.ts';
import { type PageScope, useScope } from '../api/scope.ts';
import { useTokens } from '../api/tokens.ts';
import { chainName, symbolOf } from '../format/chains.ts';
import { rest, showAtomic, showUsd } from '../format/money.ts';
import { Bones, Card, Copy, ExternalLink, Fact, Notice, Problem, StateBadge, Time } from '../ui/bits.tsx';
import { Icon } from '../ui/icon.tsx';
import { failureWords, whyWords } from '../words/failures.ts';
import { INTENT_WORDS, PAYMENT_WORDS } from '../words/states.ts';
import { PaymentActions } from './parts/payment-actions.tsx';
import { RefundsCard } from './parts/refunds-card.tsx';
import { Timeline } from './parts/timeline.tsx';
import { unitsOf } from './parts/units.ts';

export function PaymentPage() {
  const scope = useScope();
  const { intentId } = useParams({ from: '/signed-in/$mode/$accountId/payments/$intentId' });
  const { data, error, refetch } = useTimeline(scope, intentId);
  const { data: payments = [] } = usePayments(scope, intentId, data?.entries.length ?? 0);
  const tokens = useTokens(scope);
  const units = unitsOf(tokens, payments);
  return (
    <>
      <Link
        to="/$mode/$accountId/payments"
        params={{ mode: scope.mode, accountId: scope.accountId }}
        search={{}}
        className="mb-3 inline-flex items-center gap-1 text-soft hover:text-ink"
      >
        <Icon name="back" /> Payments
      </Link>
      {data === undefined && error === null && (
        <div className="card">
          <Bones lines={10} />
        </div>
      )}
      {data === undefined && error !== null && <Problem of={error} again={() => void refetch()} />}
      {data !== undefined && (
        <>
          <Top scope={scope} timeline={data} payments={payments} />
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div className="order-2 min-w-0 lg:order-1">
              <Card
                title="Timeline"
                action={
                  <span className="text-[0.857rem] text-soft">{data.atRest ? 'Complete' : 'Updates by itself'}</span>
                }
              >
                <Timeline scope={scope} timeline={data} units={units} />
              </Card>
            </div>
            <div className="order-1 grid min-w-0 gap-6 lg:order-2">
              {payments.map((payment) => (
                <PaymentCard key={payment.id} payment={payment} />
              ))}
              <RefundsCard scope={scope} timeline={data} units={units} />
              <IntentCard intent={data.paymentIntent} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** The payment that tells how the intent stands: the one that paid it, or else the newest. */
export const mainPayment = (payments: readonly Payment[]): Payment | undefined =>
  payments.find(({ status }) => status === 'completed' || status === 'refunded') ?? payments[0];

function Top({
  scope,
  timeline,
  payments,
}: {
  readonly scope: PageScope;
  readonly timeline: PaymentTimeline;
  readonly payments: readonly Payment[];
}) {
  const { paymentIntent: intent, why } = timeline;
  const main = mainPayment(payments);
  const isOfPayment = main !== undefined && (main.status === 'refunded' || main.status === 'completed');
  const words = isOfPayment ? PAYMENT_WORDS[main.status] : INTENT_WORDS[intent.status];
  const failure = failureWords(why);
  return (
    <header className="mb-6 grid gap-4">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1 className="flex flex-wrap items-center gap-x-3 gap-y-1 !text-[1.9rem]">
            <span>
              {intent.x402_upto && !isOfPayment && <span className="font-normal text-soft">up to </span>}
              {amountOf(intent, isOfPayment ? main : undefined)}
            </span>
            <StateBadge words={words} />
          </h1>
          <p className="mt-1 flex flex-wrap items-center gap-x-3 text-soft">
            {intent.description && <span className="text-ink">{intent.description}</span>}
            <Copy text={intent.id} label="payment intent id" />
            <Time iso={intent.createdAt} />
          </p>
        </div>
        <PaymentActions scope={scope} timeline={timeline} payments={payments} />
      </div>
      <Notice tone={failure === undefined ? words.tone : 'bad'}>
        <span className="font-semibold">Why: </span>
        {whyWords(why)}
      </Notice>
    </header>
  );
}

function amountOf(intent: PaymentIntent, paid: Payment | undefined): string {
  if (paid !== undefined)
    return `${showAtomic(paid.paidAmount ?? paid.amount, paid.decimals)} ${symbolOf(paid.tokenShortcode)}`;
  return intent.amountUsd ? showUsd(intent.amountUsd) : showAtomic(intent.amount, null);
}

function PaymentCard({ payment }: { readonly payment: Payment }) {
  const { decimals } = payment;
  const symbol = symbolOf(payment.tokenShortcode);
  const amount = (atomic: string | null | undefined) =>
    atomic ? `${showAtomic(atomic, decimals)} ${symbol}` : undefined;
  const failure = payment.failureCode ? failureWords(payment.failureCode) : undefined;
  const splits = payment.splits ?? [];
  return (
    <Card title="Payment" action={<StateBadge words={PAYMENT_WORDS[payment.status]} />}>
      <div className="px-4 py-3">
        {payment.failureCode && (
          <Notice tone="bad">
            <p>{failure?.what ?? payment.failureMessage ?? payment.failureCode}</p>
            {failure && <p>{failure.todo}</p>}
          </Notice>
        )}
        <dl className="divide-y divide-line">
          <Fact name="Paid">{amount(payment.paidAmount ?? payment.amount)}</Fact>
          {payment.requestedAmount && payment.requestedAmount !== (payment.paidAmount ?? payment.amount) && (
            <Fact name="Asked for">{amount(payment.requestedAmount)}</Fact>
          )}
          {payment.feeAmount && <Fact name="Fee">{amount(payment.feeAmount)}</Fact>}
          {splits.map(({ recipient, amount: part }) => (
            <Fact key={recipient} name="Split">
              {amount(part)} <Copy text={recipient} label="recipient" />
            </Fact>
          ))}
          {payment.netAmount && (
            <Fact name="You received">
              <b>{amount(payment.netAmount)}</b>
            </Fact>
          )}
          {payment.refundedAmount && payment.refundedAmount !== '0' && (
            <Fact name="Refunded">{amount(payment.refundedAmount)}</Fact>
          )}
          {payment.refundDueAmount && (
            <Fact name="Due back">{amount(rest(payment.refundDueAmount, payment.refundedAmount))}</Fact>
          )}
          {payment.amountUsd && <Fact name="In dollars">{showUsd(payment.amountUsd)}</Fact>}
          <Fact name="Network">{chainName(payment.chain)}</Fact>
          {payment.payer && (
            <Fact name="Payer">
              <Copy text={payment.payer} label="payer" />
            </Fact>
          )}
          {payment.transactionId && (
            <Fact name="Transaction">
              <Copy text={payment.transactionId} label="transaction" />
            </Fact>
          )}
          {payment.explorerUrl && (
            <Fact name="Explorer">
              <ExternalLink href={payment.explorerUrl}>View</ExternalLink>
            </Fact>
          )}
          <Fact name="Id">
            <Copy text={payment.id} label="payment id" />
          </Fact>
          {payment.completedAt && (
            <Fact name="Completed">
              <Time iso={payment.completedAt} plain />
            </Fact>
          )}
        </dl>
      </div>
    </Card>
  );
}

function IntentCard({ intent }: { readonly intent: PaymentIntent }) {
  const metadata = Object.entries(intent.metadata);
  return (
    <Card title="Asked for" action={<StateBadge words={INTENT_WORDS[intent.status]} />}>
      <dl className="divide-y divide-line px-4 py-2">
        {intent.amountUsd && (
          <Fact name="Amount">
            {intent.x402_upto && 'up to '}
            {showUsd(intent.amountUsd)}
          </Fact>
        )}
        {intent.tokens && (
          <Fact name="Tokens">
            {intent.tokens
              .map(symbolOf)
              .filter((one, index, all) => all.indexOf(one) === index)
              .join(', ')}
          </Fact>
        )}
        {intent.expectedSenderPrincipal && (
          <Fact name="Only from">
            <Copy text={intent.expectedSenderPrincipal} label="expected payer" />
          </Fact>
        )}
        <Fact name="Created">
          <Time iso={intent.createdAt} plain />
        </Fact>
        {intent.expiresAt && (
          <Fact name="Expires">
            <Time iso={intent.expiresAt} plain />
          </Fact>
        )}
        {intent.createdWith && <Fact name="Created by">{CREATED_WITH[intent.createdWith]}</Fact>}
        {metadata.map(([key, value]) => (
          <Fact key={key} name={key}>
            <span className="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</span>
          </Fact>
        ))}
      </dl>
    </Card>
  );
}

const CREATED_WITH = { secret: 'secret key', publishable: 'publishable key', x402: 'x402 facilitator' } as const;
