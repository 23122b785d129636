// The account and mode of a page, which its address names.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { CallOptions } from './call.ts';
import { answerOf, call } from './call.ts';
import { type ConsoleMode, type MemberRole, meQuery } from './people.ts';

export type PageScope = {
  readonly accountId: string;
  readonly accountName: string;
  readonly mode: ConsoleMode;
  readonly role: MemberRole;
};

/** The pages of an account render only once the person is known to be its member. */
export function useScope(): PageScope {
  const { mode, accountId } = useParams({ from: '/signed-in/$mode/$accountId' });
  const { data } = useQuery(meQuery);
  const membership = data?.memberships.find((one) => one.accountId === accountId);
  if (membership === undefined || (mode !== 'test' && mode !== 'live'))
    throw new Error('the page of an account was shown without one');
  return { accountId, mode, accountName: membership.accountName, role: membership.role };
}

type Named = Pick<PageScope, 'accountId' | 'mode'>;

const relayed = ({ accountId, mode }: Named, path: string) => `/accounts/${accountId}/${mode}${path}`;

/** Calls the merchant API. `path` begins with `/sdk/`. */
export const relay = <Answer>(scope: Named, path: string, options?: CallOptions): Promise<Answer> =>
  call<Answer>(relayed(scope, path), options);

export const relayAnswer = (scope: Named, path: string, options?: CallOptions): Promise<Response> =>
  answerOf(relayed(scope, path), options);

/** Keys of queries begin with the account and the mode, so that nothing of one is ever shown in the other. */
export const keyOf = ({ accountId, mode }: Named, ...rest: readonly unknown[]) => [accountId, mode, ...rest] as const;
