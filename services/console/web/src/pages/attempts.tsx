import type { AttemptBody } from '@svc-pay/protocol/merchant';
import { Link } from '@tanstack/react-router';
import { type PageScope, useScope } from '../api/scope.ts';
import { short } from '../format/short.ts';
import { useList } from '../lists/use-list.ts';
import { Bones, Card, Empty, Heading, OlderRows, Problem, Time } from '../ui/bits.tsx';
import { failureWords } from '../words/failures.ts';

/** What payers sent and the service refused. No money moved. */
export function Attempts() {
  const scope = useScope();
  const { items, hasMore, isLoading, error, hasNewer, loadMore, reload } = useList<AttemptBody>(
    scope,
    '/sdk/attempts',
    {},
  );
  return (
    <>
      <Heading
        title="Refused attempts"
        about="Signed payments that the service refused, and why. No money moved. Each reason is kept once for a payer and a payment, for three months."
      >
        {hasNewer && (
          <button type="button" className="button" onClick={reload}>
            Show newer ones
          </button>
        )}
      </Heading>
      {error !== null && <Problem of={error} again={reload} />}
      <Card>
        {isLoading && error === null && <Bones lines={8} />}
        {!isLoading && items.length === 0 && error === null && (
          <Empty title="Nothing was refused">What a payer signs and the service refuses appears here.</Empty>
        )}
        <ul className="divide-y divide-line">
          {items.map((attempt) => (
            <Refused key={attempt.id} scope={scope} attempt={attempt} />
          ))}
        </ul>
        {hasMore && <OlderRows busy={isLoading} onMore={loadMore} />}
      </Card>
    </>
  );
}

function Refused({ scope, attempt }: { readonly scope: PageScope; readonly attempt: AttemptBody }) {
  const words = failureWords(attempt.code);
  return (
    <li className="relative flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 hover:bg-sunk">
      <div className="min-w-64 flex-1">
        <Link
          to="/$mode/$accountId/payments/$intentId"
          params={{ mode: scope.mode, accountId: scope.accountId, intentId: attempt.paymentIntentId }}
          preload={false}
          className="row-link font-medium"
        >
          {words?.what ?? attempt.message ?? attempt.code}
        </Link>
        {words !== undefined && <p className="text-soft">{words.todo}</p>}
        <p className="mono text-[0.857rem] text-soft">
          {attempt.code} · {short(attempt.paymentIntentId)}
          {attempt.payer !== null && (
            <span title={`Claimed by whoever sent it: ${attempt.payer}`}> · {short(attempt.payer)}</span>
          )}
        </p>
      </div>
      <span className="w-32 text-right text-soft">
        <Time iso={attempt.createdAt} plain />
      </span>
    </li>
  );
}
