import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';
import type { InvitationOfAccount, MemberOfAccount, OwnPasskey, OwnSession } from './people.ts';

export const post = <Answer>(path: string, body: unknown = {}): Promise<Answer> =>
  call<Answer>(path, { method: 'POST', body });

type People = { readonly members: readonly MemberOfAccount[]; readonly invitations: readonly InvitationOfAccount[] };

export const usePeople = (accountId: string) =>
  useQuery({
    queryKey: ['people', accountId],
    queryFn: ({ signal }) => call<People>(`/accounts/${accountId}/people`, { signal }),
  });

export const usePasskeys = () =>
  useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => call<{ readonly passkeys: readonly OwnPasskey[] }>('/passkeys', { signal }),
  });

export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call<{ readonly sessions: readonly OwnSession[] }>('/sessions', { signal }),
  });
