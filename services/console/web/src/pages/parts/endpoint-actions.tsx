import type { Endpoint, EventReplay } from '@svc-pay/protocol/merchant';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keyOf, type PageScope, relay } from '../../api/scope.ts';
import { localToIso } from '../../format/time.ts';
import { Notice, Problem, StateBadge } from '../../ui/bits.tsx';
import { CheckField, Form, SelectField, Submit } from '../../ui/form.tsx';
import { SecretSheet } from '../../ui/secret-sheet.tsx';
import { Sheet, SheetActions, SheetBack } from '../../ui/sheet.tsx';
import { isBackwards, TimeRangeFields } from '../../ui/time-range.tsx';
import { EVENT_NAMES, REPLAY_WORDS } from '../../words/states.ts';

type EndpointActionProps = {
  readonly scope: PageScope;
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
};

const OVERLAPS = [
  ['86400', 'A day'],
  ['604800', 'A week'],
  ['3600', 'An hour'],
  ['0', 'Not at all: it ends now'],
] as const;

export function RotateSheet({ scope, endpoint, onClose, onDone }: EndpointActionProps) {
  const [overlap, setOverlap] = useState<string>(OVERLAPS[0][0]);
  const [intention] = useState(() => crypto.randomUUID());
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      relay<{ readonly secret: string | null }>(scope, `/sdk/webhooks/endpoints/${endpoint.id}/rotate-secret`, {
        method: 'POST',
        body: { overlapSeconds: Number.parseInt(overlap, 10) },
        idempotencyKey: intention,
      }),
    onSuccess: onDone,
  });
  if (data?.secret)
    return (
      <SecretSheet
        secret={{
          title: 'New signing secret',
          text: data.secret,
          about: 'Deliveries carry a signature of both secrets until the old one ends.',
        }}
        onClose={onClose}
      />
    );
  return (
    <Sheet title="Rotate the secret" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p className="text-soft">
          The endpoint gets a new signing secret. Put it on your server before the old one ends.
        </p>
        <SelectField label="The old one also signs for" value={overlap} onChange={setOverlap} options={OVERLAPS} />
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending}>Rotate</Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

const FOLLOW_MS = 1_500;

export function ReplaySheet({ scope, endpoint, onClose, onDone }: EndpointActionProps) {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [isAll, setAll] = useState(false);
  const [intention, setIntention] = useState(() => crypto.randomUUID());
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      relay<{ readonly recovery: EventReplay }>(scope, `/sdk/webhooks/endpoints/${endpoint.id}/recover`, {
        method: 'POST',
        body: { from: localToIso(from), to: localToIso(to), only: isAll ? 'all' : 'failed' },
        idempotencyKey: intention,
      }),
    onSuccess: onDone,
    onError: () => setIntention(crypto.randomUUID()),
  });
  const id = data?.recovery.id;
  const { data: followed } = useQuery({
    queryKey: keyOf(scope, 'recovery', id),
    queryFn: ({ signal }) =>
      relay<{ readonly recovery: EventReplay }>(scope, `/sdk/webhooks/recoveries/${id}`, { signal }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) =>
      state.data?.recovery.status === 'running' || state.data === undefined ? FOLLOW_MS : false,
  });
  const recovery = followed?.recovery ?? data?.recovery;
  const isRange = from !== '' && to !== '' && !isBackwards(from, to);
  return (
    <Sheet title="Replay events" onClose={onClose}>
      {recovery === undefined ? (
        <Form onSubmit={() => mutate()}>
          <p className="text-soft">
            Sends the events of a range that this endpoint did not get, such as while your server was down or the
            endpoint was off.
          </p>
          <TimeRangeFields from={from} to={to} onFrom={setFrom} onTo={setTo} />
          <CheckField
            label="Also those that were delivered"
            about="Your server must know an event that it has seen before."
            checked={isAll}
            onChange={setAll}
          />
          {error !== null && <Problem of={error} />}
          <SheetActions>
            <SheetBack onClose={onClose} />
            <Submit busy={isPending} disabled={!isRange}>
              Replay
            </Submit>
          </SheetActions>
        </Form>
      ) : (
        <>
          <p className="flex items-center gap-2">
            <StateBadge words={REPLAY_WORDS[recovery.status]} /> {REPLAY_WORDS[recovery.status].why}
          </p>
          <Notice tone="note">
            {recovery.examined} of {recovery.total ?? '…'} events looked at, {recovery.queued} queued.
          </Notice>
          <SheetActions>
            <SheetBack onClose={onClose} word="Close" />
          </SheetActions>
        </>
      )}
    </Sheet>
  );
}

export function SampleSheet({ scope, endpoint, onClose, onDone }: EndpointActionProps) {
  const [type, setType] = useState<string>(endpoint.eventTypes[0] ?? 'payment.completed');
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      relay<{ readonly eventId: string }>(scope, `/sdk/webhooks/endpoints/${endpoint.id}/test`, {
        method: 'POST',
        body: { type },
      }),
    onSuccess: onDone,
  });
  return (
    <Sheet title="Send a sample" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <SelectField
          label="Event"
          value={type}
          onChange={setType}
          options={EVENT_NAMES.map((name) => [name, name] as const)}
        />
        {error !== null && <Problem of={error} />}
        {data !== undefined && <Notice tone="good">Sent as {data.eventId}. It appears among the deliveries.</Notice>}
        <SheetActions>
          <SheetBack onClose={onClose} word={data === undefined ? 'Go back' : 'Close'} />
          <Submit busy={isPending}>Send</Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

export function DeleteSheet({ scope, endpoint, onClose, onDone }: EndpointActionProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => relay(scope, `/sdk/webhooks/endpoints/${endpoint.id}`, { method: 'DELETE' }),
    onSuccess: onDone,
  });
  return (
    <Sheet title="Delete the endpoint" onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <p>
          Deliveries to <span className="mono break-all">{endpoint.url}</span> that are still pending are discarded.
          This can’t be taken back.
        </p>
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} grave>
            Delete
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}
