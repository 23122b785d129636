// A signed text against what the wallet was shown. What is taken gets its blockhash here: from now on there is one
// transaction that can carry it, and nobody but its relayer can make another.
import type { AuthorizationVerdict, HeaderPlace, VerifiedTerms } from '@svc-pay/core';
import type { TransferStores } from '@svc-pay/postgres';
import { checkMessage, type MessageTerms, mergedLegs, signaturesIn, verifyText } from '@svc-pay/solana';
import type { Cluster } from './open-clusters.ts';
import { findTerms } from './transfer-terms.ts';

export async function verifyMessage(
  stores: TransferStores,
  cluster: Cluster | undefined,
  { header, acceptance }: VerifiedTerms,
  { caller, intentId }: HeaderPlace,
): Promise<AuthorizationVerdict> {
  if (cluster?.program === undefined) return { ok: false, code: 'not_available' };
  const { authorization, signature } = header.payload;
  const { from: payer, validAfter, validBefore } = authorization;
  const nonce = authorization.nonce.slice(2).toLowerCase();
  const shown = await stores.findPrepared(caller, intentId, payer, nonce);
  const prepared = shown.find(({ position }) => position === acceptance.position);
  // Only a text of ours names a relayer that will carry it.
  if (prepared?.transfer.program === undefined) return { ok: false, code: 'invalid_signature' };
  const { relayer, feeRecipient, program } = prepared.transfer;
  if (program !== cluster.program) return { ok: false, code: 'authorization_expired' };
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
    kind: 'solana_message',
    byContract: false,
    transfer: { ...checked.lifetime, relayer, feeRecipient, tokenProgram, decimals, program },
    signature: `0x${Buffer.from(signed).toString('hex')}`,
  };
}

async function firstSigned(terms: MessageTerms, candidates: readonly Uint8Array[]): Promise<Uint8Array | undefined> {
  for (const candidate of candidates) if ((await verifyText(terms, candidate)) !== undefined) return candidate;
  return undefined;
}
