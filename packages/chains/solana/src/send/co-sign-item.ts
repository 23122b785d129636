// The relayer's verification of a payment before it signs: the key is here, so what the API accepted is verified again.
import type { Address, Transaction } from '@solana/kit';
import type { LaneItem } from '@svc-pay/core';
import { writeTransaction } from '../bytes/write-transaction.ts';
import { buildMessageItem } from '../message/build-message-item.ts';
import { type CoSigned, coSign } from '../signer/co-sign.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { lifetimeOf, signedBase64, termsOf } from '../transfer/item-terms.ts';
import { verifySigned } from '../verify/verify-signed.ts';

/** Both return undefined when the transaction differs from the payment. */
export type ItemSigner = {
  /** The transaction with zeros as the relayer's signature: nobody can send it. */
  readonly unsigned: (item: LaneItem) => Promise<Uint8Array | undefined>;
  /** The same item always gives the same bytes. Bytes and id stay in this process until the bytes are stored. */
  readonly signed: (item: LaneItem) => Promise<CoSigned | undefined>;
};

/** Verifies and signs the same item once and caches the result. */
export function createItemSigner(relayer: RelayerSigner): ItemSigner {
  const verified = oncePerItem((item) => verifyItem(item, relayer.address));
  return {
    unsigned: async (item) => {
      const transaction = await verified(item);
      return transaction && withoutSignatureOf(transaction, relayer.address);
    },
    signed: oncePerItem(async (item) => {
      const transaction = await verified(item);
      return transaction && coSign({ transaction }, relayer);
    }),
  };
}

async function verifyItem(item: LaneItem, relayer: string): Promise<Transaction | undefined> {
  if (item.kind === 'solana_message') return buildMessageItem(item, relayer);
  // Of a refund: its nonce is not that of its payment, so its row was written by somebody else.
  if (item.refund !== undefined && item.payout.withdrawn) return undefined;
  const { blockhash } = lifetimeOf(item);
  const agreed = { terms: termsOf(item), blockhash, messageHash: null };
  const verified = await verifySigned(signedBase64(item), agreed);
  return verified.ok ? verified.transaction : undefined;
}

function withoutSignatureOf(transaction: Transaction, relayer: string): Uint8Array {
  const signatures = { ...transaction.signatures, [relayer as Address]: null };
  return writeTransaction({ ...transaction, signatures });
}

function oncePerItem<Made>(make: (item: LaneItem) => Promise<Made>): (item: LaneItem) => Promise<Made> {
  const made = new WeakMap<LaneItem, Promise<Made>>();
  return (item) => {
    const before = made.get(item);
    if (before !== undefined) return before;
    const now = make(item);
    made.set(item, now);
    return now;
  };
}
