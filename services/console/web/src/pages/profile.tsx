import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery, type OwnPasskey } from '../api/people.ts';
import { post, usePasskeys, useSessions } from '../api/people-calls.ts';
import { isoOf } from '../format/time.ts';
import { leaveSession } from '../shell/leave-session.ts';
import { Badge, Bones, Card, Heading, Problem, Time } from '../ui/bits.tsx';
import { Form, Submit, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { Sheet, SheetActions, SheetBack } from '../ui/sheet.tsx';

export function Profile() {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <Heading title={me?.person.name ?? ''} about="Your passkeys and the places where you are signed in." />
      <div className="grid gap-6">
        <Passkeys />
        <Sessions />
      </div>
    </>
  );
}

function Passkeys() {
  const queries = useQueryClient();
  const { data, error } = usePasskeys();
  const [adding, setAdding] = useState(false);
  const [naming, setNaming] = useState<OwnPasskey>();
  const refresh = () => queries.invalidateQueries({ queryKey: ['passkeys'] });
  const revoke = useMutation({
    mutationFn: (credentialId: string) => post('/passkeys/revoke', { credentialId }),
    onSuccess: refresh,
  });
  const isOnly = data?.passkeys.length === 1;
  return (
    <Card
      title="Passkeys"
      action={
        <button type="button" className="button small" onClick={() => setAdding(true)}>
          <Icon name="plus" /> Add a passkey
        </button>
      }
    >
      {error !== null && (
        <div className="p-4">
          <Problem of={error} />
        </div>
      )}
      {revoke.error !== null && (
        <div className="p-4">
          <Problem of={revoke.error} />
        </div>
      )}
      {data === undefined && error === null && <Bones lines={2} />}
      <ul className="divide-y divide-line">
        {data?.passkeys.map((one) => (
          <li key={one.credentialId} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
            <Icon name="passkey" className="size-5 text-soft" />
            <div className="min-w-40 flex-1">
              <p className="font-medium">{one.name}</p>
              <p className="text-[0.857rem] text-soft">
                {one.backedUp ? 'In sync with your other devices' : 'On this one device only'} · used{' '}
                {one.lastUsedAtMs === null ? 'never' : <Time iso={isoOf(one.lastUsedAtMs)} />}
              </p>
            </div>
            <button
              type="button"
              className="button bare small"
              aria-label={`Rename ${one.name}`}
              onClick={() => setNaming(one)}
            >
              Rename
            </button>
            {!isOnly && (
              <button
                type="button"
                className="button bare small grave"
                aria-label={`Remove ${one.name}`}
                disabled={revoke.isPending}
                onClick={() => revoke.mutate(one.credentialId)}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {isOnly && (
        <p className="border-t border-line px-4 py-3 text-soft">
          This is your only passkey. Add another device, so that losing one does not lock you out.
        </p>
      )}
      {adding && (
        <NameSheet
          title="Add a passkey"
          action="Add"
          initial=""
          onClose={() => setAdding(false)}
          onName={async (name) => (await import('../api/passkeys.ts')).addPasskey(name)}
          onDone={refresh}
        />
      )}
      {naming !== undefined && (
        <NameSheet
          title="Rename the passkey"
          action="Rename"
          initial={naming.name}
          onClose={() => setNaming(undefined)}
          onName={(name) => post('/passkeys/rename', { credentialId: naming.credentialId, name })}
          onDone={refresh}
        />
      )}
    </Card>
  );
}

type NameProps = {
  readonly title: string;
  readonly action: string;
  readonly initial: string;
  readonly onClose: () => void;
  readonly onName: (name: string) => Promise<unknown>;
  readonly onDone: () => Promise<unknown>;
};

function NameSheet({ title, action, initial, onClose, onName, onDone }: NameProps) {
  const [name, setName] = useState(initial);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => onName(name.trim()),
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <Sheet title={title} onClose={onClose}>
      <Form onSubmit={() => mutate()}>
        <TextField
          label="Name"
          autoFocus
          value={name}
          maxLength={60}
          placeholder="Work laptop"
          onChange={(event) => setName(event.currentTarget.value)}
          hint="So that you know it in this list."
        />
        {error !== null && <Problem of={error} />}
        <SheetActions>
          <SheetBack onClose={onClose} />
          <Submit busy={isPending} disabled={name.trim() === ''}>
            {action}
          </Submit>
        </SheetActions>
      </Form>
    </Sheet>
  );
}

/** `Firefox on Linux` of what a browser says about itself. */
function browserOf(userAgent: string): string {
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(userAgent)?.[1] ?? 'A browser';
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|CrOS|Linux)/.exec(userAgent)?.[1];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS', CrOS: 'ChromeOS' };
  const named = (text: string) => names[text] ?? text;
  return system === undefined ? named(browser) : `${named(browser)} on ${named(system)}`;
}

function Sessions() {
  const queries = useQueryClient();
  const { data, error } = useSessions();
  const refresh = () => queries.invalidateQueries({ queryKey: ['sessions'] });
  const end = useMutation({
    mutationFn: (sessionId: string) => post('/sessions/end', { sessionId }),
    onSuccess: refresh,
  });
  const endOthers = useMutation({ mutationFn: () => post('/sessions/end-others'), onSuccess: refresh });
  const endAll = useMutation({
    mutationFn: () => post('/sign-out-everywhere'),
    onSuccess: leaveSession,
  });
  const problem = error ?? end.error ?? endOthers.error ?? endAll.error;
  return (
    <Card
      title="Signed in"
      action={
        <div className="flex flex-wrap gap-2">
          <button
            type="button"
            className="button small"
            disabled={endOthers.isPending || (data?.sessions.length ?? 0) < 2}
            onClick={() => endOthers.mutate()}
          >
            Sign out everywhere else
          </button>
          <button
            type="button"
            className="button small grave"
            disabled={endAll.isPending}
            onClick={() => endAll.mutate()}
          >
            Sign out everywhere
          </button>
        </div>
      }
    >
      {problem !== null && (
        <div className="p-4">
          <Problem of={problem} />
        </div>
      )}
      {data === undefined && error === null && <Bones lines={2} />}
      <ul className="divide-y divide-line">
        {data?.sessions.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
            <div className="min-w-40 flex-1">
              <p className="font-medium" title={one.userAgent}>
                {browserOf(one.userAgent)}
              </p>
              <p className="text-[0.857rem] text-soft">
                {one.address} · since <Time iso={isoOf(one.createdAtMs)} /> · seen{' '}
                <Time iso={isoOf(one.lastSeenAtMs)} />
              </p>
            </div>
            {one.current ? (
              <Badge tone="good">This one</Badge>
            ) : (
              <button
                type="button"
                className="button bare small grave"
                disabled={end.isPending}
                onClick={() => end.mutate(one.id)}
              >
                Sign out
              </button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
