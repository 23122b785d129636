// Selects the tokens of a request: by shortcode, by the deprecated selectors, or all tokens that the account enabled.
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';
import { sameAddress } from './address.ts';
import { TOKENS } from './catalogue.ts';
import { findChain } from './chain.ts';
import type { TokenEntry } from './token-entry.ts';
import { tokenSentence } from './token-sentence.ts';

/** Most acceptances of one intent. */
const MAX_ACCEPTANCES = 12;

export type TokenSelector = {
  readonly tokenShortcode?: string | undefined;
  readonly symbol?: string | undefined;
  readonly ledgerCanisterId?: string | undefined;
  readonly chainId?: string | undefined;
};

export type SelectedTokens =
  | { readonly ok: true; readonly tokens: readonly TokenEntry[]; readonly deprecated: boolean }
  | {
      readonly ok: false;
      readonly code: 'token_unknown' | 'token_not_enabled';
      readonly param: keyof TokenSelector | null;
      /** Names the tokens that would do. */
      readonly message: string;
    };

export function selectTokens(selector: TokenSelector, mode: Mode, enabled: ReadonlySet<string>): SelectedTokens {
  const known = TOKENS.filter((token) => findChain(token.network)?.mode === mode);
  const refuse = (code: 'token_unknown' | 'token_not_enabled', param: keyof TokenSelector | null): SelectedTokens => ({
    ok: false,
    code,
    param,
    message: tokenSentence(selector.tokenShortcode, mode, enabled),
  });
  const deprecated = selector.tokenShortcode === undefined && namedParam(selector) !== null;
  const network = selector.chainId === undefined ? undefined : parseNetwork(selector.chainId);
  if (selector.chainId !== undefined && network === undefined && selector.tokenShortcode === undefined) {
    return refuse('token_unknown', 'chainId');
  }
  const matching = known.filter((token) => matches(token, selector, network));
  if (matching.length === 0) return refuse('token_unknown', namedParam(selector));
  const tokens = matching.filter((token) => enabled.has(token.shortcode)).slice(0, MAX_ACCEPTANCES);
  if (tokens.length === 0) return refuse('token_not_enabled', namedParam(selector));
  return { ok: true, tokens, deprecated };
}

/** A shortcode decides by itself; the deprecated selectors are combined. */
function matches(token: TokenEntry, selector: TokenSelector, network: NetworkId | undefined): boolean {
  if (selector.tokenShortcode !== undefined) return token.shortcode === selector.tokenShortcode.toLowerCase();
  const { symbol, ledgerCanisterId } = selector;
  return (
    (symbol === undefined || token.symbol.toLowerCase() === symbol.toLowerCase()) &&
    (ledgerCanisterId === undefined || sameAddress(token.address, ledgerCanisterId)) &&
    (network === undefined || token.network === network)
  );
}

function namedParam(selector: TokenSelector): keyof TokenSelector | null {
  const names = ['tokenShortcode', 'symbol', 'ledgerCanisterId', 'chainId'] as const;
  return names.find((name) => selector[name] !== undefined) ?? null;
}
