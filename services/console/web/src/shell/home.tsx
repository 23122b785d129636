import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { meQuery } from '../api/people.ts';
import { Empty } from '../ui/bits.tsx';
import { usualPlace } from './last-place.ts';

/** Leads to the account and mode of the last visit, and to play money at the first. */
export function Home() {
  const { data } = useQuery(meQuery);
  const place = usualPlace(data?.memberships ?? []);
  if (place === undefined)
    return <Empty title="You are not a member of an account">Ask an owner of the account for an invitation.</Empty>;
  return <Navigate to="/$mode/$accountId/overview" params={place} replace />;
}
