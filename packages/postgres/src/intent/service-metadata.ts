// The column `service_metadata` of an intent: the service's own keys, which kind of key created it, the tokens that it was
// offered in, and whether tokens were asked for. The others have no columns of their own, because the release before reads
// `intent.*` by prepared statements, which fail once the table has another column.
import type { Intent } from '@svc-pay/core';

const CREATED_WITH = 'svc_created_with';
const TOKENS = 'svc_tokens';
const ASKED = 'svc_asked';
const ASKED_TOKENS = 'tokens';

type Recorded = Pick<Intent, 'serviceMetadata' | 'createdWith' | 'tokens' | 'asksTokens'>;

export function storedServiceMetadata({ serviceMetadata, createdWith, tokens, asksTokens }: Recorded): string {
  return JSON.stringify({
    ...serviceMetadata,
    ...(createdWith !== null && { [CREATED_WITH]: createdWith }),
    ...(tokens !== null && { [TOKENS]: tokens }),
    ...(asksTokens === true && { [ASKED]: ASKED_TOKENS }),
  });
}

export function readServiceMetadata({
  [CREATED_WITH]: createdWith,
  [TOKENS]: tokens,
  [ASKED]: asked,
  ...serviceMetadata
}: Intent['serviceMetadata']): Recorded {
  return {
    serviceMetadata,
    createdWith: CREATORS.find((known) => known === createdWith) ?? null,
    tokens: Array.isArray(tokens) ? tokens.filter((token) => typeof token === 'string') : null,
    ...(asked === ASKED_TOKENS && { asksTokens: true }),
  };
}

const CREATORS = ['secret', 'publishable', 'x402'] as const;
