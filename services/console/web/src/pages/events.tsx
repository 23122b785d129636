import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useScope } from '../api/scope.ts';
import { type EventSearch, useEvents } from '../api/webhooks.ts';
import { Badge, Bones, Card, Empty, Heading, OlderRows, Problem, Time } from '../ui/bits.tsx';
import { Choice } from '../ui/choice.tsx';
import { EVENT_NAMES, EVENT_WORDS } from '../words/states.ts';

export function Events() {
  const scope = useScope();
  const filter = useSearch({ from: '/signed-in/$mode/$accountId/events' });
  const navigate = useNavigate();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useEvents(scope, filter);
  const at = { mode: scope.mode, accountId: scope.accountId };
  const go = (search: EventSearch) =>
    void navigate({ to: '/$mode/$accountId/events', params: at, search, replace: true });
  const { type: _, ...withoutType } = filter;
  const { undelivered: __, ...withoutUndelivered } = filter;
  return (
    <>
      <Heading title="Events" about="What happened, in the order it happened, and who was told." />
      <div className="mb-4 flex flex-wrap items-center gap-2" role="group" aria-label="Filters">
        <Choice
          label="Type"
          value={filter.type}
          options={EVENT_NAMES.map((name) => [name, name] as const)}
          onChange={(type) => go(type === undefined ? withoutType : { ...withoutType, type })}
        />
        <button
          type="button"
          className={`button small ${filter.undelivered === undefined ? '' : '!border-accent !text-accent'}`}
          aria-pressed={filter.undelivered === 'true'}
          onClick={() => go(filter.undelivered === 'true' ? withoutUndelivered : { ...filter, undelivered: 'true' })}
        >
          Not delivered
        </button>
        {filter.intentId !== undefined && (
          <button type="button" className="button small !border-accent !text-accent" onClick={() => go({})}>
            Of one payment: show all
          </button>
        )}
      </div>
      {error !== null && <Problem of={error} again={() => void refetch()} />}
      <Card>
        {data === undefined && error === null && <Bones lines={10} />}
        {data?.length === 0 && (
          <Empty title="No events">They appear here with the first payment that is asked for.</Empty>
        )}
        <ul className="divide-y divide-line">
          {data?.map((event) => (
            <li
              key={event.id}
              className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-sunk"
            >
              <div className="min-w-52 flex-1">
                <Link
                  to="/$mode/$accountId/events/$eventId"
                  params={{ ...at, eventId: event.id }}
                  preload={false}
                  className="row-link font-medium"
                >
                  {EVENT_WORDS[event.type]}
                </Link>
                <p className="mono text-soft">{event.type}</p>
              </div>
              <Told {...event.deliveries} />
              <span className="w-32 text-right text-soft">
                <Time iso={event.createdAt} plain />
              </span>
            </li>
          ))}
        </ul>
        {hasNextPage && <OlderRows busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />}
      </Card>
    </>
  );
}

type Counts = {
  readonly pending: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly discarded: number;
};

function Told({ pending, succeeded, failed, discarded }: Counts) {
  if (pending + succeeded + failed + discarded === 0) return <Badge tone="quiet">No endpoint</Badge>;
  if (failed > 0) return <Badge tone="bad">{failed} given up</Badge>;
  if (pending > 0) return <Badge tone="wait">{pending} pending</Badge>;
  return succeeded > 0 ? <Badge tone="good">Delivered</Badge> : <Badge tone="quiet">Discarded</Badge>;
}
