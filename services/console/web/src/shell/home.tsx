import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { meQuery } from '../api/people.ts';
import { Empty } from '../ui/bits.tsx';
import { lastPlace } from './last-place.ts';

/** Leads to the account and mode of the last visit, and to play money at the first. */
export function Home() {
  const { data } = useQuery(meQuery);
  const last = lastPlace();
  const chosen = data?.memberships.find(({ accountId }) => accountId === last?.accountId) ?? data?.memberships[0];
  if (chosen === undefined)
    return <Empty title="You are not a member of an account">Ask an owner of the account for an invitation.</Empty>;
  const mode = chosen.accountId === last?.accountId ? last.mode : 'test';
  return <Navigate to="/$mode/$accountId/overview" params={{ mode, accountId: chosen.accountId }} replace />;
}
