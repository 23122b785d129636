// The relayer's transaction around a payer's signed text. What the API accepted is verified again here, where the key is.
import type { LaneItem } from '@svc-pay/core';
import { type MessageTerms, mergedLegs } from '../message/message-terms.ts';
import { buildPayment, signAlone } from '../message/sign-payment.ts';
import { verifyText } from '../message/verify-text.ts';
import type { CoSigned } from '../signer/co-sign.ts';
import type { RelayerSigner } from '../signer/relayer-signer.ts';
import { MAX_WIRE_BYTES } from '../transfer/prepare-transfer.ts';
import { lifetimeOf, termsOf, transferIn } from './item-terms.ts';

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

/** Undefined when the payment is not what the payer signed. The same item makes the same bytes, however often. */
export async function signMessageItem(item: LaneItem, relayer: RelayerSigner): Promise<CoSigned | undefined> {
  // No auditor has seen the program yet: docs/decisions/0023-solana-program.md.
  if (item.mode === 'live') return undefined;
  const terms = messageTermsOf(item);
  if (terms.relayer !== relayer.address) return undefined;
  const signature = Uint8Array.from(Buffer.from(item.signature.slice(2), 'hex'));
  const text = await verifyText(terms, signature);
  if (text === undefined) return undefined;
  const signed = await signAlone(await buildPayment(terms, { signature, text }, lifetimeOf(item)), relayer);
  return signed.wire.length <= MAX_WIRE_BYTES ? signed : undefined;
}
