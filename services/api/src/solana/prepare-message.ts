// A text for a wallet, stored before it is given out, and the approval that may be missing.
import { createHash, randomBytes } from 'node:crypto';
import type { Clock, SignableAnswer, TransferToPrepare } from '@svc-pay/core';
import type { TransferStores } from '@svc-pay/postgres';
import {
  checkMessage,
  fitsTransaction,
  isSolanaAddress,
  type MessageTerms,
  mergedLegs,
  messageText,
  prepareApproval,
} from '@svc-pay/solana';
import type { Cluster } from './open-clusters.ts';
import { findTerms } from './transfer-terms.ts';

/** As the client's rules for other chains have it. */
const VALID_SECONDS = 300n;
const VALID_AFTER_SECONDS = 86_400n;

export async function prepareMessage(
  stores: TransferStores,
  cluster: Cluster | undefined,
  wanted: TransferToPrepare,
  clock: Clock,
): Promise<SignableAnswer> {
  const { caller, intentId, acceptance, payer } = wanted;
  const { network, position, payTo, amount } = acceptance;
  const program = cluster?.program;
  if (cluster === undefined || program === undefined) return { ok: false, code: 'not_available' };
  if (!isSolanaAddress(payer)) return { ok: false, code: 'sender_mismatch' };
  const relayer = await stores.chooseRelayer(caller, network, intentId);
  if (relayer === undefined) return { ok: false, code: 'x402_temporarily_unavailable' };
  const found = await findTerms(stores, cluster, { caller, intentId, acceptance, payer, relayer });
  if (found === undefined) return { ok: false, code: 'x402_not_available_for_token' };
  const nowSeconds = BigInt(Math.floor(clock.nowMs() / 1_000));
  const nonce = randomBytes(32).toString('hex');
  const terms: MessageTerms = {
    ...found.terms,
    legs: mergedLegs(found.terms.legs),
    program,
    nonce,
    validAfterSeconds: nowSeconds - VALID_AFTER_SECONDS,
    validBeforeSeconds: nowSeconds + VALID_SECONDS,
  };
  const checked = await checkMessage(cluster.nodes, terms);
  if (!checked.ok) return checked;
  if (!(await fitsTransaction(terms))) return { ok: false, code: 'x402_not_available_for_token' };
  const text = await messageText(terms);
  const { tokenProgram, decimals } = terms;
  await stores.storePrepared(caller, intentId, {
    payer,
    network,
    position,
    // It has no blockhash before it is taken; it is found by its nonce.
    transfer: {
      relayer,
      feeRecipient: found.feeRecipient,
      tokenProgram,
      decimals,
      program,
      blockhash: nonce,
      lastValidBlockHeight: 0n,
      slot: 0n,
    },
    messageHash: createHash('sha256').update(text).digest('hex'),
    wire: new TextEncoder().encode(text),
  });
  return {
    ok: true,
    signable: {
      text,
      authorization: {
        from: payer,
        to: payTo,
        value: amount.toString(),
        validAfter: terms.validAfterSeconds.toString(),
        validBefore: terms.validBeforeSeconds.toString(),
        nonce: `0x${nonce}`,
      },
      relayer,
      program,
      setup: checked.approved ? null : await prepareApproval(terms, checked.lifetime),
    },
  };
}
