// Compares a signed text with the text that the wallet was shown. An accepted text gets its blockhash here: from now on
// one transaction can carry it, and only its relayer could make another.
import type { AuthorizationVerdict, HeaderContext, TransferStores, VerifiedTerms } from '@svc-pay/core';
import { checkMessage } from '../message/check-message.ts';
import { type MessageTerms, mergedLegs } from '../message/message-terms.ts';
import { signaturesIn, verifyText } from '../message/verify-text.ts';
import { findTerms } from '../transfer/find-terms.ts';
import type { Cluster } from '../transfer/open-clusters.ts';

export async function verifyMessage(
  stores: TransferStores,
  cluster: Cluster | undefined,
  { header, acceptance }: VerifiedTerms,
  { caller, intentId }: HeaderContext,
): Promise<AuthorizationVerdict> {
  if (cluster?.program === undefined) return { ok: false, code: 'not_available' };
  const { authorization, signature } = header.payload;
  const { from: payer, validAfter, validBefore } = authorization;
  const nonce = authorization.nonce.slice(2).toLowerCase();
  const shown = await stores.findPrepared(caller, intentId, payer, nonce);
  const prepared = shown.find(({ position }) => position === acceptance.position);
  // Only a text that we prepared names one of our relayers.
  if (prepared?.transfer.program === undefined) return { ok: false, code: 'invalid_signature' };
  const { relayer, feeRecipient, program } = prepared.transfer;
  const sendable = await stores.isSettlingRelayer(caller, acceptance.network, relayer);
  if (program !== cluster.program || !sendable) return { ok: false, code: 'authorization_expired' };
  const found = await findTerms(stores, cluster, { caller, intentId, acceptance, payer, relayer, feeRecipient });
  if (found === undefined) return { ok: false, code: 'x402_not_available_for_token' };
  const terms: MessageTerms = {
    ...found.terms,
    legs: mergedLegs(found.terms.legs),
    program,
    nonce,
    validAfterSeconds: BigInt(validAfter),
    validBeforeSeconds: BigInt(validBefore),
  };
  const signed = await firstSigned(terms, signaturesIn(signature));
  if (signed === undefined) return { ok: false, code: 'invalid_signature' };
  const checked = await checkMessage(cluster.nodes, terms);
  if (!checked.ok) return checked;
  if (!checked.approved) return { ok: false, code: 'approval_missing' };
  const { tokenProgram, decimals } = terms;
  return {
    ok: true,
    signed: {
      kind: 'solana_message',
      byContract: false,
      authorization,
      signature: `0x${Buffer.from(signed).toString('hex')}`,
      transfer: { ...checked.lifetime, relayer, feeRecipient, tokenProgram, decimals, program },
    },
  };
}

async function firstSigned(terms: MessageTerms, candidates: readonly Uint8Array[]): Promise<Uint8Array | undefined> {
  for (const candidate of candidates) if ((await verifyText(terms, candidate)) !== undefined) return candidate;
  return undefined;
}
