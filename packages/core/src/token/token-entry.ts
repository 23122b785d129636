// A token on a chain, found by its shortcode.
import type { Token } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';

/** How the payer authorizes: EIP-3009 where the token has it, else a Permit; `none` can't be signed for. */
export type Signing = 'TransferWithAuthorization' | 'Permit' | 'none';

export type TokenEntry = {
  readonly shortcode: string;
  readonly network: NetworkId;
  readonly symbol: string;
  /** Token contract, mint or ledger canister, in the chain's own notation. */
  readonly address: string;
  readonly unit: Token;
  readonly signing: Signing;
  /** EIP-712 domain of the token's own contract; checked against the chain by `doctor`. */
  readonly domain?: { readonly name: string; readonly version: string };
  /**
   * Order of the token's logs for one authorization, checked by `doctor`. Direct payments are proven by these two logs
   * alone, so a token without the field takes none.
   */
  readonly directLogs?: 'used_then_transfer';
  /** `fixed` is one dollar a token; anything else names a feed of the HTTP price source. */
  readonly price: 'fixed' | { readonly feed: string };
};
