// Tokens that the account takes, in the mode of the key.
import { type AcceptedToken, tokenList } from '@svc-pay/protocol';
import type { CallFailure } from '../call/call-failure.ts';
import type { CallOptions, Connection } from '../call/connection.ts';
import { exactly } from '../call/read-answer.ts';

export type TokensFound = { readonly ok: true; readonly tokens: readonly AcceptedToken[] };

export type Tokens = {
  /** Every enabled token; one with `available: false` is not offered now, and `message` says why. */
  readonly list: (options?: CallOptions) => Promise<TokensFound | CallFailure>;
};

export function tokensOf({ call }: Connection): Tokens {
  return {
    list: async (options) => {
      const answer = await call({ method: 'GET', path: '/sdk/public/tokens', read: exactly(tokenList) }, options);
      return answer.ok ? { ok: true, tokens: answer.value.data } : answer;
    },
  };
}
