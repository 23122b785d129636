// The text that a wallet shows and the payer signs. The program writes the same text from the transaction's data, so
// every character counts. The text contains what a payer can judge; its digest covers everything else.
import { createHash } from 'node:crypto';
import { SIGNABLE_MESSAGE_PREFIX } from '@svc-pay/protocol';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { type MessageTerms, totalOf } from './message-terms.ts';
import { bytesOf, receiptOf, signed64, unsigned64 } from './program-accounts.ts';

const DOMAIN = 'svc-pay-1';

export async function messageText(terms: MessageTerms): Promise<string> {
  const [merchant] = terms.legs;
  if (merchant === undefined) throw new RangeError('the message pays no account: its terms have no legs');
  return [
    SIGNABLE_MESSAGE_PREFIX,
    `pay ${amountText(totalOf(terms), terms.decimals)}`,
    `token ${terms.mint}`,
    `to ${merchant.owner}`,
    `for ${terms.intentId}`,
    `before ${terms.validBeforeSeconds}`,
    `terms ${await termsDigest(terms)}`,
  ].join('\n');
}

/** Amount in whole tokens, without trailing zeros, and without a decimal point if no decimals remain. */
function amountText(atomic: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals);
  const places = (atomic % unit).toString().padStart(decimals, '0').replace(/0+$/, '');
  return places === '' ? `${atomic / unit}` : `${atomic / unit}.${places}`;
}

/** The receipt's bump is signed too: under another bump the program would make another receipt and pay again. */
async function termsDigest(terms: MessageTerms): Promise<string> {
  const { program, relayer, payer, mint, tokenProgram, validAfterSeconds, validBeforeSeconds, nonce, legs } = terms;
  const [source, receipt] = await Promise.all([tokenAccountOf(payer, mint, tokenProgram), receiptOf(terms)]);
  const digest = createHash('sha256').update(DOMAIN);
  for (const key of [program, relayer, source, mint, tokenProgram]) digest.update(bytesOf(key));
  digest.update(Uint8Array.of(receipt.bump, legs.length));
  digest.update(signed64(validAfterSeconds)).update(signed64(validBeforeSeconds)).update(Buffer.from(nonce, 'hex'));
  for (const { owner, amountAtomic } of legs) {
    digest.update(bytesOf(await tokenAccountOf(owner, mint, tokenProgram))).update(unsigned64(amountAtomic));
  }
  return digest.digest('hex');
}
