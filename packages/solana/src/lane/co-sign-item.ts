// The relayer's own look at a payment before it signs: what the API accepted is verified again here, where the key is.
import type { LaneItem } from '@svc-pay/core';
import { type CoSigned, coSign } from '../signer/co-sign.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { verifySigned } from '../verify/verify-signed.ts';
import { lifetimeOf, signedBase64, termsOf } from './item-terms.ts';
import { signMessageItem } from './sign-message-item.ts';

/** One that signs an item once, however often it is asked for the very same one. */
export function createCoSigner(relayer: RelayerSigner): (item: LaneItem) => Promise<CoSigned | undefined> {
  const signed = new WeakMap<LaneItem, Promise<CoSigned | undefined>>();
  return (item) => {
    const before = signed.get(item);
    if (before !== undefined) return before;
    const now = coSignItem(item, relayer);
    signed.set(item, now);
    return now;
  };
}

/** Undefined when the transaction is not what the payment says. The same item makes the same bytes, however often. */
async function coSignItem(item: LaneItem, relayer: RelayerSigner): Promise<CoSigned | undefined> {
  if (item.kind === 'solana_message') return signMessageItem(item, relayer);
  const { blockhash } = lifetimeOf(item);
  const agreed = { terms: termsOf(item), blockhash, messageHash: null };
  const verified = await verifySigned(signedBase64(item), agreed);
  return verified.ok ? coSign(verified, relayer) : undefined;
}
