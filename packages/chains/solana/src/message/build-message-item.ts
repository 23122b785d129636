// Builds the relayer's transaction for a payer's signed text. It verifies the text again, because the key is here.
import { getTransactionEncoder, type Transaction } from '@solana/kit';
import type { LaneItem } from '@svc-pay/core';
import { lifetimeOf, termsOf, transferIn } from '../transfer/item-terms.ts';
import { MAX_WIRE_BYTES } from '../transfer/prepare-transfer.ts';
import { type MessageTerms, mergedLegs } from './message-terms.ts';
import { buildPayment } from './sign-payment.ts';
import { verifyText } from './verify-text.ts';

export function messageTermsOf(item: LaneItem): MessageTerms {
  const terms = termsOf(item);
  const { program } = transferIn(item);
  if (program === undefined) throw new Error(`payment ${item.paymentId} names no program`);
  const { validAfterSeconds, validBeforeSeconds, nonce } = item;
  return {
    ...terms,
    legs: mergedLegs(terms.legs),
    program,
    validAfterSeconds,
    validBeforeSeconds,
    nonce: nonce.slice(2),
  };
}

/**
 * Returns the transaction without the relayer's signature; undefined when the payment differs from the signed text. The
 * same item always gives the same bytes.
 */
export async function buildMessageItem(item: LaneItem, relayer: string): Promise<Transaction | undefined> {
  // The program is not audited yet: docs/decisions/0023-solana-program.md.
  if (item.mode === 'live') return undefined;
  const terms = messageTermsOf(item);
  if (terms.relayer !== relayer) return undefined;
  const signature = Uint8Array.from(Buffer.from(item.signature.slice(2), 'hex'));
  const text = await verifyText(terms, signature);
  if (text === undefined) return undefined;
  const transaction = await buildPayment(terms, { signature, text }, lifetimeOf(item));
  return getTransactionEncoder().encode(transaction).length <= MAX_WIRE_BYTES ? transaction : undefined;
}
