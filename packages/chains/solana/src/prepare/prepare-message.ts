// Prepares a text for a wallet, stored before it is returned, and the approval transaction if one is missing.
import { createHash, randomBytes } from 'node:crypto';
import type { Clock, SignableAnswer, TransferStores, TransferToPrepare } from '@svc-pay/core';
import { checkMessage } from '../message/check-message.ts';
import { type MessageTerms, mergedLegs } from '../message/message-terms.ts';
import { messageText } from '../message/message-text.ts';
import { prepareApproval } from '../message/prepare-approval.ts';
import { fitsTransaction } from '../message/sign-payment.ts';
import { findTerms } from '../transfer/find-terms.ts';
import type { Cluster } from '../transfer/open-clusters.ts';
import { isSolanaAddress } from '../transfer/token-account.ts';

/** The same window that clients use on other chains. */
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
    // A text has no blockhash before it is accepted; the nonce takes its place for the lookup.
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
