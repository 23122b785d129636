import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { acceptInvitation } from '../api/passkeys.ts';
import { meQuery, type ShownInvitation } from '../api/people.ts';
import { post } from '../api/people-calls.ts';
import { ROLE_WORDS } from '../api/roles.ts';
import { CheckDialog } from '../shell/check-dialog.tsx';
import { Bones, Notice, Problem } from '../ui/bits.tsx';
import { Door } from '../ui/door.tsx';
import { Form, Submit, TextField } from '../ui/form.tsx';

/** The token is behind the `#`, which no browser sends to a server, and leaves the address bar at once. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}

export function Invitation() {
  const [token, setToken] = useState('');
  useEffect(() => {
    document.title = 'Invitation · SVC Pay';
    const found = takeToken();
    if (found !== '') setToken(found);
  }, []);
  const { data: invitation, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => post<ShownInvitation>('/invitations/show', { token }),
    enabled: token !== '',
    retry: false,
    refetchOnWindowFocus: false,
  });
  return (
    <Door title={invitation?.kind === 'recover' ? 'Welcome back' : 'You are invited'}>
      {token === '' && <Notice tone="wait">Open the whole link that you were given. Its last part is missing.</Notice>}
      {error !== null && <Problem of={error} />}
      {token !== '' && invitation === undefined && error === null && <Bones lines={3} />}
      {invitation !== undefined && <Accept token={token} invitation={invitation} />}
      <CheckDialog />
    </Door>
  );
}

function Accept({ token, invitation }: { readonly token: string; readonly invitation: ShownInvitation }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: me } = useQuery({ ...meQuery, retry: false });
  const [passkeyName, setPasskeyName] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const accept = async (way: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await way();
      queries.clear();
      await navigate({ to: '/', replace: true });
    } catch (caught) {
      setProblem(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <p>
        {invitation.kind === 'join' ? (
          <>
            <b>{invitation.name}</b>, join <b>{invitation.accountName}</b> as{' '}
            {ROLE_WORDS[invitation.role].word.toLowerCase()}.
          </>
        ) : (
          <>
            <b>{invitation.name}</b>, make a new passkey. Your former passkeys and sessions end with it.
          </>
        )}
      </p>
      {problem !== undefined && <Problem of={problem} />}
      {me !== undefined && invitation.kind === 'join' && (
        <button
          type="button"
          className="button first h-11"
          disabled={busy}
          onClick={() => void accept(() => post('/invitations/accept', { token }))}
        >
          Join as {me.person.name}
        </button>
      )}
      <Form onSubmit={() => void accept(() => acceptInvitation(token, passkeyName.trim()))}>
        <p className="text-soft">
          {me !== undefined && invitation.kind === 'join' ? 'Or as somebody else: make' : 'Make'} a passkey on this
          device. It signs you in with your finger, your face or the device’s code, without a password.
        </p>
        <TextField
          label="Name of this device"
          value={passkeyName}
          onChange={(event) => setPasskeyName(event.currentTarget.value)}
          maxLength={60}
          placeholder="Work laptop"
          hint="So that you know it among your passkeys."
        />
        <Submit busy={busy} disabled={passkeyName.trim() === ''}>
          Make a passkey
        </Submit>
      </Form>
    </>
  );
}
