import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { signInWithPasskey } from '../api/passkeys.ts';
import { ownPath } from '../shell/own-path.ts';
import { Problem } from '../ui/bits.tsx';
import { Door } from '../ui/door.tsx';
import { Icon } from '../ui/icon.tsx';

export function SignIn() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    document.title = 'Sign in · SVC Pay';
  }, []);
  const signIn = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signInWithPasskey();
      queries.clear();
      await navigate({ href: ownPath(next), replace: true });
    } catch (caught) {
      setProblem(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Door title="Sign in">
      <p className="text-soft">
        Your passkey is on this device, your phone or your security key. There is no password.
      </p>
      {problem !== undefined && <Problem of={problem} />}
      <button type="button" className="button first h-11" disabled={busy} onClick={() => void signIn()}>
        <Icon name="passkey" className="size-5" />
        {busy ? 'Waiting for your passkey …' : 'Sign in with a passkey'}
      </button>
      <details className="text-soft">
        <summary className="font-medium text-ink">No passkey here?</summary>
        <p className="mt-2">
          New people open the invitation link that an owner of their account gives them. Whoever lost every device asks
          an owner for a recovery link.
        </p>
      </details>
    </Door>
  );
}
