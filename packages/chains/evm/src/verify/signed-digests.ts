// Digests that the payer may have signed. A token with `TransferWithAuthorization` also accepts
// `ReceiveWithAuthorization`; their headers look alike, so the signature decides which it was. The latter can be submitted
// by its recipient alone: it pays a processor, and never a merchant's wallet directly.
import type { TokenEntry } from '@svc-pay/core';
import { type Authorization, chainIdOf, type Hex } from '@svc-pay/protocol';
import { digest, domainSeparator } from '@svc-pay/protocol/hash';

export type SignedKind = 'transfer_with_authorization' | 'receive_with_authorization' | 'permit';
export type SignedDigest = { readonly kind: SignedKind; readonly digest: Uint8Array };

const separators = new WeakMap<TokenEntry, Uint8Array>();

export function signedDigests(
  token: TokenEntry,
  authorization: Authorization,
  direct = false,
): readonly SignedDigest[] {
  const separator = separatorOf(token);
  const message = authorization as Authorization & { from: Hex; to: Hex; nonce: Hex };
  if (token.signing === 'Permit') {
    const permit = {
      owner: message.from,
      spender: message.to,
      value: message.value,
      nonce: BigInt(message.nonce).toString(),
      deadline: message.validBefore,
    };
    return [{ kind: 'permit', digest: digest(separator, { primaryType: 'Permit', message: permit }) }];
  }
  const transfer = inNeed('transfer_with_authorization', () =>
    digest(separator, { primaryType: 'TransferWithAuthorization', message }),
  );
  if (direct) return [transfer];
  return [
    transfer,
    inNeed('receive_with_authorization', () => digest(separator, { primaryType: 'ReceiveWithAuthorization', message })),
  ];
}

/** The digest is computed on first use: most signatures match the first kind tried. */
function inNeed(kind: SignedKind, hash: () => Uint8Array): SignedDigest {
  let known: Uint8Array | undefined;
  return {
    kind,
    get digest() {
      known ??= hash();
      return known;
    },
  };
}

function separatorOf(token: TokenEntry): Uint8Array {
  const known = separators.get(token);
  if (known !== undefined) return known;
  const chainId = chainIdOf(token.network);
  if (chainId === undefined || token.domain === undefined) throw new Error(`${token.shortcode} has no EIP-712 domain`);
  const separator = domainSeparator({ ...token.domain, chainId, verifyingContract: token.address as Hex });
  separators.set(token, separator);
  return separator;
}
