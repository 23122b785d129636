// Whether deliveries arrive at an endpoint, and if not, why the last attempt failed.
import type { Delivery, Endpoint } from '@svc-pay/protocol/merchant';
import { Link } from '@tanstack/react-router';
import type { PageScope } from '../../api/scope.ts';
import { MOST_COUNTED, useEvent, useNewestDeliveries } from '../../api/webhooks.ts';
import { Badge, Card, Fact, StateBadge, Time } from '../../ui/bits.tsx';
import { ENDPOINT_WORDS, OUTCOME_WORDS } from '../../words/states.ts';

type OfEndpoint = { readonly scope: PageScope; readonly endpoint: Endpoint };

export function Health({ endpoint }: Pick<OfEndpoint, 'endpoint'>) {
  if (endpoint.status === 'disabled') return <StateBadge words={ENDPOINT_WORDS.disabled} />;
  if (endpoint.failingSince !== null)
    return (
      <Badge tone="bad" title="No delivery has succeeded since then.">
        Failing since <Time iso={endpoint.failingSince} />
      </Badge>
    );
  return <Badge tone="good">Healthy</Badge>;
}

export function HealthCard({ scope, endpoint }: OfEndpoint) {
  const { data: delivered } = useNewestDeliveries(scope, endpoint.id, 'succeeded', 1);
  const { data: pending } = useNewestDeliveries(scope, endpoint.id, 'pending', MOST_COUNTED);
  const { data: failed } = useNewestDeliveries(scope, endpoint.id, 'failed', MOST_COUNTED);
  const deliveredAt = delivered?.[0]?.finishedAt;
  const tried = [...(pending ?? []), ...(failed ?? [])].filter(({ attemptCount }) => attemptCount > 0);
  const newest = tried.toSorted((one, other) => (one.eventId < other.eventId ? 1 : -1))[0];
  return (
    <Card title="Health" action={<Health endpoint={endpoint} />}>
      <dl className="divide-y divide-line px-4 py-2">
        <Fact name="Newest delivered">{deliveredAt ? <Time iso={deliveredAt} /> : 'None yet'}</Fact>
        <Fact name="Waiting">{counted(pending)}</Fact>
        <Fact name="Given up">{counted(failed)}</Fact>
        {newest !== undefined && endpoint.failingSince !== null && (
          <LastFailure scope={scope} endpointId={endpoint.id} eventId={newest.eventId} />
        )}
      </dl>
    </Card>
  );
}

const counted = (deliveries: readonly Delivery[] | undefined): string =>
  deliveries === undefined
    ? '…'
    : deliveries.length === MOST_COUNTED
      ? `${MOST_COUNTED} or more`
      : String(deliveries.length);

type FailureProps = { readonly scope: PageScope; readonly endpointId: string; readonly eventId: string };

function LastFailure({ scope, endpointId, eventId }: FailureProps) {
  const { data } = useEvent(scope, eventId);
  const attempt = data?.deliveries.find((one) => one.endpointId === endpointId)?.attempts.at(-1);
  if (attempt === undefined) return null;
  const { why } = OUTCOME_WORDS[attempt.outcome];
  return (
    <Fact name="Why">
      <Link
        to="/$mode/$accountId/events/$eventId"
        params={{ mode: scope.mode, accountId: scope.accountId, eventId }}
        className="link"
      >
        {why}
        {attempt.responseStatus !== null && ` It was ${attempt.responseStatus}.`}
      </Link>
    </Fact>
  );
}
