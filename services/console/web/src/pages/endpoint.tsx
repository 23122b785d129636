import type { Endpoint } from '@svc-pay/protocol/merchant';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { keyOf, type PageScope, relay, useScope } from '../api/scope.ts';
import { useDeliveries, useEndpoint } from '../api/webhooks.ts';
import { short } from '../format/short.ts';
import { Bones, Card, Copy, Empty, Fact, Heading, Notice, OlderRows, Problem, StateBadge, Time } from '../ui/bits.tsx';
import { Choice } from '../ui/choice.tsx';
import { Icon } from '../ui/icon.tsx';
import { DELIVERY_END_WORDS, DELIVERY_WORDS, OFF_WORDS } from '../words/states.ts';
import { DeleteSheet, ReplaySheet, RotateSheet, SampleSheet } from './parts/endpoint-actions.tsx';
import { HealthCard } from './parts/endpoint-health.tsx';
import { EndpointSheet } from './parts/endpoint-sheet.tsx';

type Doing = 'change' | 'rotate' | 'replay' | 'sample' | 'delete';

export function EndpointPage() {
  const scope = useScope();
  const { endpointId } = useParams({ from: '/signed-in/$mode/$accountId/endpoints/$endpointId' });
  const { data: endpoint, error, refetch } = useEndpoint(scope, endpointId);
  const at = { mode: scope.mode, accountId: scope.accountId };
  return (
    <>
      <Link
        to="/$mode/$accountId/endpoints"
        params={at}
        className="mb-3 inline-flex items-center gap-1 text-soft hover:text-ink"
      >
        <Icon name="back" /> Webhooks
      </Link>
      {error !== null && endpoint === undefined && <Problem of={error} again={() => void refetch()} />}
      {endpoint === undefined && error === null && <Bones lines={8} />}
      {endpoint !== undefined && <Shown scope={scope} endpoint={endpoint} />}
    </>
  );
}

function Shown({ scope, endpoint }: { readonly scope: PageScope; readonly endpoint: Endpoint }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: keyOf(scope, 'endpoint', endpoint.id) });
    await queries.invalidateQueries({ queryKey: keyOf(scope, 'endpoints') });
    await queries.invalidateQueries({ queryKey: keyOf(scope, 'deliveries') });
  };
  const isOff = endpoint.status === 'disabled';
  const flip = useMutation({
    mutationFn: () =>
      relay<{ readonly replayed?: number }>(
        scope,
        `/sdk/webhooks/endpoints/${endpoint.id}/${isOff ? 'enable' : 'disable'}`,
        { method: 'POST' },
      ),
    onSuccess: refresh,
  });
  const leave = async () => {
    await queries.invalidateQueries({ queryKey: keyOf(scope, 'endpoints') });
    await navigate({ to: '/$mode/$accountId/endpoints', params: { mode: scope.mode, accountId: scope.accountId } });
  };
  return (
    <>
      <Heading title={hostOf(endpoint.url)} about={<span className="mono break-all">{endpoint.url}</span>}>
        <button type="button" className="button" onClick={() => setDoing('change')}>
          Change
        </button>
        <button type="button" className="button" onClick={() => setDoing('rotate')}>
          Rotate secret
        </button>
        <button type="button" className="button" onClick={() => setDoing('replay')}>
          Replay
        </button>
        {scope.mode === 'test' && (
          <button type="button" className="button" onClick={() => setDoing('sample')}>
            Send a sample
          </button>
        )}
        <button
          type="button"
          className={`button ${isOff ? 'first' : ''}`}
          disabled={flip.isPending}
          onClick={() => flip.mutate()}
        >
          {isOff ? 'Switch on' : 'Switch off'}
        </button>
        <button type="button" className="button grave" onClick={() => setDoing('delete')}>
          Delete
        </button>
      </Heading>
      {flip.error !== null && <Problem of={flip.error} />}
      {!isOff && flip.data?.replayed !== undefined && (
        <div className="mb-5">
          <Notice tone="note">
            It is on, and {flip.data.replayed === 1 ? 'one delivery' : `${flip.data.replayed} deliveries`} that waited
            or had been given up go out now. For events that happened while it was off, replay the time.
          </Notice>
        </div>
      )}
      {isOff && (
        <div className="mb-5">
          <Notice tone="wait">
            {OFF_WORDS[endpoint.disabledReason ?? ''] ?? 'The endpoint is off.'} What was on its way waits until you
            switch it on. Events that happen meanwhile are not kept for it: replay the time afterwards.
          </Notice>
        </div>
      )}
      {endpoint.disablesAt !== null && (
        <div className="mb-5">
          <Notice tone="bad">
            No delivery succeeds. The service switches the endpoint off <Time iso={endpoint.disablesAt} /> unless one
            does before.
          </Notice>
        </div>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Deliveries scope={scope} endpointId={endpoint.id} />
        <div className="grid gap-6">
          <HealthCard scope={scope} endpoint={endpoint} />
          <Card title="Endpoint">
            <dl className="divide-y divide-line px-4 py-2">
              <Fact name="Id">
                <Copy text={endpoint.id} label="endpoint id" />
              </Fact>
              <Fact name="Timeout">{endpoint.timeoutSeconds} s</Fact>
              <Fact name="Retries">{endpoint.retryCount}</Fact>
              {Object.keys(endpoint.headers).length > 0 && (
                <Fact name="Headers">{Object.keys(endpoint.headers).join(', ')}</Fact>
              )}
              {endpoint.previousSecretExpiresAt !== null && (
                <Fact name="Old secret until">
                  <Time iso={endpoint.previousSecretExpiresAt} plain />
                </Fact>
              )}
              <Fact name="Wire version">{endpoint.apiVersion}</Fact>
              <Fact name="Created">
                <Time iso={endpoint.createdAt} plain />
              </Fact>
              <Fact name="Events">
                <ul className="mono">
                  {endpoint.eventTypes.map((type) => (
                    <li key={type}>{type}</li>
                  ))}
                </ul>
              </Fact>
            </dl>
          </Card>
        </div>
      </div>
      {doing === 'change' && <EndpointSheet scope={scope} endpoint={endpoint} onClose={close} />}
      {doing === 'rotate' && <RotateSheet scope={scope} endpoint={endpoint} onClose={close} onDone={refresh} />}
      {doing === 'replay' && <ReplaySheet scope={scope} endpoint={endpoint} onClose={close} onDone={refresh} />}
      {doing === 'sample' && <SampleSheet scope={scope} endpoint={endpoint} onClose={close} onDone={refresh} />}
      {doing === 'delete' && <DeleteSheet scope={scope} endpoint={endpoint} onClose={close} onDone={leave} />}
    </>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function Deliveries({ scope, endpointId }: { readonly scope: PageScope; readonly endpointId: string }) {
  const [status, setStatus] = useState<string>();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useDeliveries(scope, endpointId, status);
  return (
    <Card
      title="Deliveries"
      action={
        <Choice
          label="Status"
          value={status}
          onChange={setStatus}
          options={Object.entries(DELIVERY_WORDS).map(([name, { word }]) => [name, word] as const)}
        />
      }
    >
      {error !== null && (
        <div className="p-4">
          <Problem of={error} />
        </div>
      )}
      {data === undefined && error === null && <Bones />}
      {data?.length === 0 && <Empty title="No deliveries">They appear here with the first event.</Empty>}
      <ul className="divide-y divide-line">
        {data?.map((delivery) => (
          <li
            key={delivery.eventId}
            className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-sunk"
          >
            <span className="w-24">
              <StateBadge words={DELIVERY_WORDS[delivery.status]} />
            </span>
            <Link
              to="/$mode/$accountId/events/$eventId"
              params={{ mode: scope.mode, accountId: scope.accountId, eventId: delivery.eventId }}
              preload={false}
              className="row-link mono min-w-40 flex-1"
              title={delivery.eventId}
            >
              {short(delivery.eventId)}
            </Link>
            <span className="text-[0.857rem] text-soft">
              {delivery.attemptCount === 1 ? '1 attempt' : `${delivery.attemptCount} attempts`}
              {delivery.reason !== null && ` · ${DELIVERY_END_WORDS[delivery.reason] ?? delivery.reason}`}
              {delivery.nextAt !== null && (
                <>
                  {' · next '}
                  <Time iso={delivery.nextAt} />
                </>
              )}
            </span>
            <span className="w-28 text-right text-soft">
              <Time iso={delivery.createdAt} plain />
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage && <OlderRows busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />}
    </Card>
  );
}
