// Prepares a transaction for a wallet and stores it before it is returned.
import type { PreparedTransaction, TransferStores, TransferToPrepare } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { findTerms } from '../transfer/find-terms.ts';
import type { Cluster } from '../transfer/open-clusters.ts';
import { acceptanceExtra, type SolanaExtra } from './acceptance-extra.ts';
import { type PreparedOnChain, prepareOnChain } from './prepare-on-chain.ts';

export type PreparedForWallet =
  /** `extra` goes into the acceptance. */
  | { readonly ok: true; readonly prepared: PreparedTransaction; readonly extra: SolanaExtra }
  | { readonly ok: false; readonly code: ErrorCode };

export async function prepareTransfer(
  stores: TransferStores,
  cluster: Cluster | undefined,
  wanted: TransferToPrepare,
): Promise<PreparedForWallet> {
  const { caller, intentId, acceptance, payer } = wanted;
  const { network, position } = acceptance;
  if (cluster === undefined) return { ok: false, code: 'x402_temporarily_unavailable' };
  const relayer = await stores.chooseRelayer(caller, network, intentId);
  if (relayer === undefined) return { ok: false, code: 'x402_temporarily_unavailable' };
  const found = await findTerms(stores, cluster, { caller, intentId, acceptance, payer, relayer });
  if (found === undefined) return { ok: false, code: 'x402_not_available_for_token' };
  const made = await prepareOnChain(cluster.nodes, found.terms);
  if (!made.ok) return { ok: false, code: CODES[made.code] };
  const { lifetime, messageHash, wire } = made.prepared;
  const { tokenProgram, decimals } = found.terms;
  const transfer = { ...lifetime, relayer, feeRecipient: found.feeRecipient, tokenProgram, decimals };
  const prepared = await stores.storePrepared(caller, intentId, {
    payer,
    network,
    position,
    transfer,
    messageHash,
    wire,
  });
  // Another relayer may have been chosen a moment ago under the same blockhash; the stored transaction counts.
  const terms = { ...found.terms, relayer: prepared.transfer.relayer };
  return {
    ok: true,
    prepared,
    extra: acceptanceExtra({ ...made.prepared, terms, wire: prepared.wire }, acceptance.payTo),
  };
}

type Refusal = Extract<PreparedOnChain, { ok: false }>['code'];

const CODES = {
  payer_invalid: 'sender_mismatch',
  payer_is_recipient: 'sender_mismatch',
  payer_is_relayer: 'sender_mismatch',
  too_many_legs: 'x402_not_available_for_token',
  x402_not_available_for_token: 'x402_not_available_for_token',
  x402_temporarily_unavailable: 'x402_temporarily_unavailable',
  insufficient_funds: 'insufficient_funds',
  token_refused: 'token_refused',
} as const satisfies Record<Refusal, ErrorCode>;
