// The text that a wallet shows and its owner signs. The program writes it down again from what a transaction would do, so
// every character counts. What stands in it is what a payer can judge; the digest holds everything else.
import { createHash } from 'node:crypto';
import { address, getAddressEncoder } from '@solana/kit';
import { SIGNABLE_MESSAGE_PREFIX } from '@svc-pay/protocol';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { type MessageTerms, totalOf } from './message-terms.ts';
import { signed64, unsigned64 } from './program-accounts.ts';

const DOMAIN = 'svc-pay-1';

export async function messageText(terms: MessageTerms): Promise<string> {
  const [merchant] = terms.legs;
  if (merchant === undefined) throw new RangeError('a payment to nobody');
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

/** In whole tokens: no more places behind the point than needed, and no point without any. */
function amountText(atomic: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals);
  const places = (atomic % unit).toString().padStart(decimals, '0').replace(/0+$/, '');
  return places === '' ? `${atomic / unit}` : `${atomic / unit}.${places}`;
}

async function termsDigest(terms: MessageTerms): Promise<string> {
  const { program, relayer, payer, mint, tokenProgram, validAfterSeconds, validBeforeSeconds, nonce, legs } = terms;
  const source = await tokenAccountOf(payer, mint, tokenProgram);
  const digest = createHash('sha256').update(DOMAIN);
  for (const key of [program, relayer, source, mint, tokenProgram]) digest.update(bytesOf(key));
  digest.update(signed64(validAfterSeconds)).update(signed64(validBeforeSeconds)).update(Buffer.from(nonce, 'hex'));
  for (const { owner, amountAtomic } of legs) {
    digest.update(bytesOf(await tokenAccountOf(owner, mint, tokenProgram))).update(unsigned64(amountAtomic));
  }
  return digest.digest('hex');
}

const bytesOf = (key: string) => Uint8Array.from(getAddressEncoder().encode(address(key)));
