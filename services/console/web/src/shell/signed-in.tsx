import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isSignedOut } from '../api/call.ts';
import { meQuery } from '../api/people.ts';
import { Bones, Problem } from '../ui/bits.tsx';
import { CheckDialog } from './check-dialog.tsx';
import { Frame } from './frame.tsx';

/** Everything but sign-in and invitations: shows nothing until the server says who is signed in. */
export function SignedIn() {
  const { data, error, refetch } = useQuery(meQuery);
  if (isSignedOut(error)) return <ToSignIn />;
  if (data === undefined)
    return (
      <main className="mx-auto max-w-xl p-6">
        {error === null ? <Bones lines={8} /> : <Problem of={error} again={() => void refetch()} />}
      </main>
    );
  return (
    <Frame me={data}>
      <Outlet />
      <CheckDialog />
    </Frame>
  );
}

/** Once: while the other page loads, this one is rendered again at the address of that one. */
function ToSignIn() {
  const navigate = useNavigate();
  useEffect(() => {
    const here = `${location.pathname}${location.search}`;
    void navigate({ to: '/sign-in', search: here === '/' ? {} : { next: here }, replace: true });
  }, [navigate]);
  return null;
}
