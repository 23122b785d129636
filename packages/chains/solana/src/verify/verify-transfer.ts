// Compares a signed transaction with the prepared one, or, if the client built its own, with the one we would prepare.
import type {
  Clock,
  ForeignMemo,
  PreparedTransaction,
  StoredAcceptance,
  TransferStores,
  TransferToVerify,
  TransferVerdict,
} from '@svc-pay/core';
import type { Lifetime } from '../rpc/solana-node.ts';
import { findTerms } from '../transfer/find-terms.ts';
import type { Cluster } from '../transfer/open-clusters.ts';
import { checkLive } from './check-live.ts';
import { readForeignMemo } from './read-memo.ts';
import { readTransaction } from './read-transaction.ts';
import { type Agreed, submittedIn, verifySigned } from './verify-signed.ts';

type Candidate = { readonly acceptance: StoredAcceptance; readonly prepared: PreparedTransaction | null };

/** Expected validity of a signed transaction in seconds; the exact limit is the chain's block height. */
const LIFE_SECONDS = 120;

export async function verifyTransfer(
  stores: TransferStores,
  clusters: ReadonlyMap<string, Cluster>,
  submitted: TransferToVerify,
  clock: Clock,
): Promise<TransferVerdict> {
  const told = submittedIn(submitted.transaction);
  if (told === undefined) return { ok: false, code: 'invalid_payment_header' };
  const { caller, intentId, acceptances, memo } = submitted;
  // Nothing is prepared for a transaction that was signed before the intent existed.
  const prepared = memo ? [] : await stores.findPrepared(caller, intentId, told.payer, told.blockhash);
  const candidates = acceptances
    .map((acceptance): Candidate => {
      const { position } = acceptance;
      return { acceptance, prepared: prepared.find((one) => one.position === position) ?? null };
    })
    .toSorted((one, other) => Number(other.prepared !== null) - Number(one.prepared !== null));
  let first: Extract<TransferVerdict, { ok: false }> | undefined;
  for (const candidate of candidates) {
    const verdict = await verifyOne(stores, clusters, submitted, candidate, clock);
    if (verdict.ok) return verdict;
    first ??= verdict;
  }
  return first ?? { ok: false, code: 'acceptance_mismatch' };
}

async function verifyOne(
  stores: TransferStores,
  clusters: ReadonlyMap<string, Cluster>,
  { caller, intentId, transaction, memo: foreign }: TransferToVerify,
  { acceptance, prepared }: Candidate,
  clock: Clock,
): Promise<TransferVerdict> {
  const told = submittedIn(transaction);
  const cluster = clusters.get(acceptance.network);
  if (told === undefined || cluster === undefined) return { ok: false, code: 'chain_unavailable' };
  const { payer, messageHash } = told;
  const relayer = prepared?.transfer.relayer ?? told.feePayer;
  // The fee payer must be one of our relayers, and one that is not retired: nobody would send what names it.
  if (!(await stores.isSettlingRelayer(caller, acceptance.network, relayer)))
    return {
      ok: false,
      code: prepared === null ? 'transaction_altered' : 'authorization_expired',
      detail: 'fee_payer',
    };
  const question = { caller, intentId, acceptance, payer, relayer };
  const found = await findTerms(stores, cluster, {
    ...question,
    ...(prepared !== null && { feeRecipient: prepared.transfer.feeRecipient }),
  });
  if (found === undefined) return { ok: false, code: 'x402_not_available_for_token' };
  const memo = foreign && memoIn(transaction, foreign);
  if (foreign !== undefined && memo === undefined) return { ok: false, code: 'transaction_altered', detail: 'memo' };
  const { feeRecipient } = found;
  const terms = { ...found.terms, ...(memo !== undefined && { memo }) };
  const agreed: Agreed = {
    terms,
    blockhash: prepared?.transfer.blockhash ?? null,
    messageHash: prepared?.messageHash ?? null,
  };
  const verified = await verifySigned(transaction, agreed);
  if (!verified.ok) return { ok: false, code: verified.code, detail: verified.flaw };
  const live = await checkLive(cluster.nodes, terms, verified.blockhash, prepared && lifetimeOf(prepared));
  if (!live.ok) return live;
  const { tokenProgram, decimals } = terms;
  const nowSeconds = Math.floor(clock.nowMs() / 1_000);
  return {
    ok: true,
    acceptance,
    signed: {
      kind: 'solana_transaction',
      byContract: false,
      authorization: {
        from: payer,
        to: acceptance.payTo,
        value: acceptance.amount.toString(),
        validAfter: '0',
        validBefore: String(nowSeconds + LIFE_SECONDS),
        nonce: `0x${messageHash}`,
      },
      signature: `0x${Buffer.from(transaction, 'base64').toString('hex')}`,
      transfer: {
        ...live.lifetime,
        relayer,
        feeRecipient,
        tokenProgram,
        decimals,
        ...(memo !== undefined && { memo }),
      },
      balance: live.balance,
    },
  };
}

function memoIn(transaction: string, foreign: ForeignMemo): string | null | undefined {
  const read = readTransaction(transaction);
  return read.ok ? readForeignMemo(read.message, foreign) : undefined;
}

function lifetimeOf({ transfer }: PreparedTransaction): Lifetime {
  const { blockhash, lastValidBlockHeight, slot } = transfer;
  return { blockhash, lastValidBlockHeight, slot };
}
