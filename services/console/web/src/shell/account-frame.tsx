import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { meQuery } from '../api/people.ts';
import { keepPlace } from './last-place.ts';
import { NotFound } from './not-found.tsx';

export function AccountFrame() {
  const { mode, accountId } = useParams({ from: '/signed-in/$mode/$accountId' });
  const { data } = useQuery(meQuery);
  const membership = data?.memberships.find((one) => one.accountId === accountId);
  const isKnown = membership !== undefined && (mode === 'test' || mode === 'live');
  useEffect(() => {
    if (isKnown) keepPlace({ accountId, mode });
  }, [isKnown, accountId, mode]);
  // Keyed: nothing that a page holds survives the change of account or mode.
  return isKnown ? <Outlet key={`${mode} ${accountId}`} /> : <NotFound />;
}
