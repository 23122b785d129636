import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useScope } from '../api/scope.ts';
import { useEndpoints } from '../api/webhooks.ts';
import { Bones, Card, Empty, Heading, Problem } from '../ui/bits.tsx';
import { Icon } from '../ui/icon.tsx';
import { Health } from './parts/endpoint-health.tsx';
import { EndpointSheet } from './parts/endpoint-sheet.tsx';

export function Endpoints() {
  const scope = useScope();
  const { data, error, refetch } = useEndpoints(scope);
  const [creating, setCreating] = useState(false);
  return (
    <>
      <Heading
        title="Webhooks"
        about="Addresses of your server that are told what happens, signed, and again until they answer."
      >
        <button type="button" className="button first" onClick={() => setCreating(true)}>
          <Icon name="plus" /> Add endpoint
        </button>
      </Heading>
      {error !== null && <Problem of={error} again={() => void refetch()} />}
      <Card>
        {data === undefined && error === null && <Bones />}
        {data?.length === 0 && <Empty title="No endpoint yet">Add the address of your server that takes events.</Empty>}
        <ul className="divide-y divide-line">
          {data?.map((endpoint) => (
            <li
              key={endpoint.id}
              className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-sunk"
            >
              <div className="min-w-52 flex-1">
                <Link
                  to="/$mode/$accountId/endpoints/$endpointId"
                  params={{ mode: scope.mode, accountId: scope.accountId, endpointId: endpoint.id }}
                  className="row-link mono font-medium break-all"
                >
                  {endpoint.url}
                </Link>
                <p className="text-[0.857rem] text-soft">
                  {endpoint.eventTypes.length === 1
                    ? endpoint.eventTypes[0]
                    : `${endpoint.eventTypes.length} types of events`}
                </p>
              </div>
              <Health endpoint={endpoint} />
            </li>
          ))}
        </ul>
      </Card>
      {creating && <EndpointSheet scope={scope} onClose={() => setCreating(false)} />}
    </>
  );
}
