import type { DeliveryAttempt, EventDetail } from '@svc-pay/protocol/merchant';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { may } from '../api/roles.ts';
import { keyOf, type PageScope, relay, useScope } from '../api/scope.ts';
import { useEndpoints, useEvent } from '../api/webhooks.ts';
import { short } from '../format/short.ts';
import { Badge, Bones, Card, Copy, Heading, Notice, Problem, StateBadge, Time } from '../ui/bits.tsx';
import { Icon } from '../ui/icon.tsx';
import { DELIVERY_WORDS, EVENT_WORDS, OUTCOME_WORDS } from '../words/states.ts';

export function EventPage() {
  const scope = useScope();
  const { eventId } = useParams({ from: '/signed-in/$mode/$accountId/events/$eventId' });
  const { data: event, error, refetch } = useEvent(scope, eventId);
  const at = { mode: scope.mode, accountId: scope.accountId };
  return (
    <>
      <Link
        to="/$mode/$accountId/events"
        params={at}
        search={{}}
        className="mb-3 inline-flex items-center gap-1 text-soft hover:text-ink"
      >
        <Icon name="back" /> Events
      </Link>
      {event === undefined && error !== null && <Problem of={error} again={() => void refetch()} />}
      {event === undefined && error === null && <Bones lines={8} />}
      {event !== undefined && (
        <>
          <Heading
            title={EVENT_WORDS[event.type]}
            about={
              <span className="flex flex-wrap items-center gap-x-3">
                <span className="mono">{event.type}</span>
                <Copy text={event.id} label="event id" />
                <Time iso={event.createdAt} />
              </span>
            }
          >
            <Link
              to="/$mode/$accountId/payments/$intentId"
              params={{ ...at, intentId: event.paymentIntentId }}
              className="button"
            >
              Its payment
            </Link>
          </Heading>
          <div className="grid items-start gap-6 xl:grid-cols-2">
            <div className="grid min-w-0 gap-6">
              {event.deliveries.length === 0 && (
                <Notice tone="quiet">No endpoint took this type of event when it happened.</Notice>
              )}
              {event.deliveries.map((delivery) => (
                <DeliveryCard
                  key={delivery.endpointId}
                  scope={scope}
                  eventId={event.id}
                  delivery={delivery}
                  body={JSON.stringify(event.event)}
                />
              ))}
            </div>
            <Card
              title="Payload"
              action={<Copy text={JSON.stringify(event.event, null, 2)} shown="Copy" label="payload" />}
            >
              <Code text={JSON.stringify(event.event, null, 2)} label="Payload" />
            </Card>
          </div>
        </>
      )}
    </>
  );
}

const Code = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <pre className="mono max-h-[38rem] overflow-auto p-4" tabIndex={0} role="region" aria-label={label}>
    {text}
  </pre>
);

type DeliveryCardProps = {
  readonly scope: PageScope;
  readonly eventId: string;
  readonly delivery: EventDetail['deliveries'][number];
  /** As it was sent. */
  readonly body: string;
};

function DeliveryCard({ scope, eventId, delivery, body }: DeliveryCardProps) {
  const queries = useQueryClient();
  const mayResend = may(scope.role, 'webhooks');
  const resend = useMutation({
    mutationFn: () =>
      relay(scope, `/sdk/events/${eventId}/resend`, {
        method: 'POST',
        body: { endpointId: delivery.endpointId },
        idempotencyKey: crypto.randomUUID(),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(scope, 'event', eventId) }),
  });
  return (
    <Card
      title="Delivery"
      action={
        <span className="flex items-center gap-2">
          <StateBadge words={DELIVERY_WORDS[delivery.status]} />
          {mayResend && (
            <button type="button" className="button small" disabled={resend.isPending} onClick={() => resend.mutate()}>
              Resend
            </button>
          )}
        </span>
      }
    >
      <div className="px-4 py-3">
        <p className="text-soft">
          To{' '}
          {mayResend ? (
            <EndpointName scope={scope} endpointId={delivery.endpointId} />
          ) : (
            <Copy text={delivery.endpointId} label="endpoint id" />
          )}
          {delivery.nextAt !== null && (
            <>
              , next attempt <Time iso={delivery.nextAt} />
            </>
          )}
        </p>
        {resend.error !== null && <Problem of={resend.error} />}
        {delivery.attempts.length === 0 && <p className="text-soft">No attempt yet.</p>}
      </div>
      <ul className="divide-y divide-line border-t border-line">
        {delivery.attempts.map((attempt) => (
          <Attempt key={attempt.attempt} attempt={attempt} body={body} />
        ))}
      </ul>
    </Card>
  );
}

/** Whoever may not manage endpoints may not read them either, and sees the id instead. */
function EndpointName({ scope, endpointId }: { readonly scope: PageScope; readonly endpointId: string }) {
  const { data } = useEndpoints(scope);
  return (
    <Link
      to="/$mode/$accountId/endpoints/$endpointId"
      params={{ mode: scope.mode, accountId: scope.accountId, endpointId }}
      className="link break-all"
    >
      {data?.find(({ id }) => id === endpointId)?.url ?? short(endpointId)}
    </Link>
  );
}

function Attempt({ attempt, body }: { readonly attempt: DeliveryAttempt; readonly body: string }) {
  const words = OUTCOME_WORDS[attempt.outcome];
  const headers = (of: Readonly<Record<string, string>>) =>
    Object.entries(of)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
  const times = [
    ['name', attempt.dnsMs],
    ['connection', attempt.connectMs],
    ['TLS', attempt.tlsMs],
    ['first byte', attempt.firstByteMs],
  ] as const;
  return (
    <li>
      <details>
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 hover:bg-sunk">
          <span className="text-soft">{attempt.attempt}</span>
          <StateBadge words={words} />
          {attempt.responseStatus !== null && <Badge tone={words.tone}>{attempt.responseStatus}</Badge>}
          <span className="text-soft">{attempt.totalMs} ms</span>
          <span className="ml-auto text-soft">
            <Time iso={attempt.startedAt} />
          </span>
        </summary>
        <div className="grid gap-3 border-t border-line bg-sunk px-4 py-3">
          <p>{words.why}</p>
          {attempt.error !== null && <p className="text-bad">{attempt.error}</p>}
          <p className="text-soft">
            {times
              .filter(([, ms]) => ms !== null)
              .map(([name, ms]) => `${name} ${ms} ms`)
              .join(' · ')}
            {attempt.address !== null && ` · ${attempt.address}`}
          </p>
          <Part title="Request headers" text={headers(attempt.requestHeaders)} />
          <Part title="Request body" text={body} />
          <Part title="Answer headers" text={headers(attempt.responseHeaders)} />
          {attempt.responseExcerpt !== null && attempt.responseExcerpt !== '' && (
            <Part title="Answer" text={attempt.responseExcerpt} />
          )}
        </div>
      </details>
    </li>
  );
}

const Part = ({ title, text }: { readonly title: string; readonly text: string }) =>
  text === '' ? null : (
    <div className="min-w-0">
      <h3 className="text-soft">{title}</h3>
      <pre
        className="mono max-h-60 overflow-auto whitespace-pre-wrap break-all"
        tabIndex={0}
        role="region"
        aria-label={title}
      >
        {text}
      </pre>
    </div>
  );
