// A token on a chain, found by its shortcode.
import type { Token } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';

/** How the payer authorizes: EIP-3009 where the token has it, else a Permit; `none` can't be signed for. */
export type Signing = 'TransferWithAuthorization' | 'Permit' | 'none';

/**
 * Whose word the token takes for a payer whose account has code: a contract wallet, or a key that delegates (EIP-7702).
 * `wallet`: the code's own `isValidSignature`, as Circle's tokens from v2.2 on. `key`: the recovered key alone, whatever the
 * code would answer.
 */
export type SignatureRule = 'wallet' | 'key';

export type TokenEntry = {
  readonly shortcode: string;
  readonly network: NetworkId;
  readonly symbol: string;
  /** Token contract, mint or ledger canister, in the chain's own notation. */
  readonly address: string;
  readonly unit: Token;
  readonly signing: Signing;
  /** Of a token with EIP-3009; `wallet` unless told. Of a permit it is always `key`: the processor recovers the key too. */
  readonly signatureRule?: SignatureRule;
  /** EIP-712 domain of the token's own contract; checked against the chain by `doctor`. */
  readonly domain?: { readonly name: string; readonly version: string };
  /**
   * Order of the token's logs for one authorization, checked by `doctor`. Direct payments are proven by these two logs
   * alone, so a token without the field takes none.
   */
  readonly directLogs?: 'used_then_transfer';
  /**
   * Of a token whose ledger takes a fee from the payer on top of the amount: the fee in smallest units, which wallets name.
   * The ledger decides, and tells another one to whoever names a wrong one; `doctor` compares.
   */
  readonly transferFee?: bigint;
  /** `fixed` is one dollar a token; anything else names a feed of the HTTP price source. */
  readonly price: 'fixed' | { readonly feed: string };
};

export function signatureRuleOf({ signing, signatureRule = 'wallet' }: TokenEntry): SignatureRule {
  return signing === 'Permit' ? 'key' : signatureRule;
}
