// A relayer key gives up its own role by a signer that gives its key to nobody, as settlement has it. What was sent is never
// reported as not sent: the operator of a stolen key must know which transaction to look for.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedTransaction } from '@svc-pay/core';
import {
  type Address,
  BaseError,
  bytesToHex,
  encodeFunctionData,
  type Hex,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { classifyBroadcast } from '../send/classify-broadcast.ts';
import { signTransaction } from '../send/sign-transaction.ts';
import type { TransactionSigner } from '../signer/transaction-signer.ts';
import { type AdminClient, openChain } from './open-chain.ts';
import { ROLES } from './roles.ts';

export type RetiredRelayer =
  | { readonly ok: true; readonly transactionHash: Hex; readonly blockNumber: bigint }
  | { readonly ok: false; readonly code: 'relayer_has_no_role' }
  /** The node refused it for certain. */
  | { readonly ok: false; readonly code: 'not_sent'; readonly reason: string }
  /** `pending`: it may be mined at any time. `nonce_taken`: another transaction was mined instead. */
  | {
      readonly ok: false;
      readonly code: 'pending' | 'nonce_taken' | 'role_not_given_up';
      readonly transactionHash: Hex;
    };

/** Times the usual fee: the transaction replaces one of the same nonce, such as a thief's. */
const URGENT_FEE = 3n;
/** Each offer doubles the fee of the one before. */
const MAX_OFFERS = 5;
const PATIENCE_MS = 180_000;
const POLL_MS = 1_000;
const MAX_REASON = 200;

/** Another transaction has the nonce. */
const OUTBID = /underpriced|replace|fee ?too ?low/i;
/** This very transaction, from an earlier run: a higher fee has it mined sooner. */
const SENT_BEFORE = /already ?(?:known|imported|exists)|known transaction|already in (?:the )?\w*pool/i;

type Sent = { readonly nonce: number; readonly hashes: readonly [Hex, ...Hex[]] };
/** `sent`: also after an unclear answer. */
type Answer = { readonly word: 'sent' | 'sent_before' | 'outbid' | 'refused'; readonly reason: string };

/**
 * It takes the next nonce that is not mined: a payment of the lane that has this nonce is queued again, and is settled by
 * another relayer. Throws only if nothing was sent.
 */
export async function retireRelayerBySigner(
  rpcUrl: string,
  signer: TransactionSigner,
  { processor, patienceMs = PATIENCE_MS }: { readonly processor: Address; readonly patienceMs?: number },
): Promise<RetiredRelayer> {
  const chain = await openChain({ rpcUrl, account: { address: signer.address, type: 'json-rpc' } });
  const holds = () =>
    chain.readContract({
      abi: paymentProcessorAbi,
      address: processor,
      functionName: 'hasRole',
      args: [ROLES.relayer, signer.address],
    });
  if (!(await holds())) return { ok: false, code: 'relayer_has_no_role' };
  const sent = await send(chain, signer, processor);
  return 'code' in sent ? sent : waitFor(chain, sent, { holds, patienceMs });
}

async function send(
  chain: AdminClient,
  signer: TransactionSigner,
  processor: Address,
): Promise<Sent | Extract<RetiredRelayer, { code: 'not_sent' }>> {
  const { address } = signer;
  const args = [ROLES.relayer, address] as const;
  const call = {
    to: processor,
    data: encodeFunctionData({ abi: paymentProcessorAbi, functionName: 'renounceRole', args }),
  };
  const [nonce, gas, usual] = await Promise.all([
    chain.getTransactionCount({ address, blockTag: 'latest' }),
    chain.estimateGas({ account: address, ...call }),
    chain.estimateFeesPerGas(),
  ]);
  const hashes: Hex[] = [];
  let reason = '';
  for (let offers = 0; offers < MAX_OFFERS; offers += 1) {
    const times = URGENT_FEE << BigInt(offers);
    const fees = {
      maxFeePerGas: usual.maxFeePerGas * times,
      maxPriorityFeePerGas: usual.maxPriorityFeePerGas * times,
    };
    const unsigned = { chainId: chain.chain.id, nonce: BigInt(nonce), call: { ...call, gas }, fees };
    const signed = await signTransaction(signer, unsigned).catch((problem: unknown) => {
      if (hashes.length === 0) throw problem;
    });
    if (signed === undefined) break;
    const answer = await offer(chain, signed);
    ({ reason } = answer);
    if (answer.word === 'sent' || answer.word === 'sent_before') hashes.push(signed.transactionId as Hex);
    if (answer.word === 'sent' || answer.word === 'refused') break;
  }
  const [latest, ...earlier] = hashes.toReversed();
  return latest === undefined ? { ok: false, code: 'not_sent', reason } : { nonce, hashes: [latest, ...earlier] };
}

async function offer(chain: AdminClient, { raw, transactionId }: SignedTransaction): Promise<Answer> {
  try {
    await chain.sendRawTransaction({ serializedTransaction: bytesToHex(raw) });
    return { word: 'sent', reason: '' };
  } catch (problem) {
    const message = problem instanceof BaseError ? problem.details : '';
    const reason = message.slice(0, MAX_REASON);
    if (OUTBID.test(message)) return { word: 'outbid', reason };
    if (SENT_BEFORE.test(message)) return { word: 'sent_before', reason };
    const word = classifyBroadcast({ ok: false, code: 0, message, data: undefined }, transactionId);
    return { word: word === 'refused' ? 'refused' : 'sent', reason };
  }
}

/** A node that fails to answer is asked again: what was sent stays sent. */
async function waitFor(
  chain: AdminClient,
  { nonce, hashes }: Sent,
  { holds, patienceMs }: { readonly holds: () => Promise<boolean>; readonly patienceMs: number },
): Promise<RetiredRelayer> {
  const [transactionHash] = hashes;
  const { address } = chain.account;
  const startMs = performance.now();
  for (;;) {
    try {
      // Before the receipts: a nonce that was mined by one of these has a receipt.
      const next = await chain.getTransactionCount({ address, blockTag: 'latest' });
      const mined = next > nonce ? await findReceipt(chain, hashes) : undefined;
      if (mined !== undefined)
        return (await holds())
          ? { ok: false, code: 'role_not_given_up', transactionHash: mined.transactionHash }
          : { ok: true, transactionHash: mined.transactionHash, blockNumber: mined.blockNumber };
      if (next > nonce) return { ok: false, code: 'nonce_taken', transactionHash };
    } catch {
      // Asked again below, until the patience ends.
    }
    if (performance.now() - startMs > patienceMs) return { ok: false, code: 'pending', transactionHash };
    await sleep(POLL_MS);
  }
}

async function findReceipt(chain: AdminClient, hashes: readonly Hex[]): Promise<TransactionReceipt | undefined> {
  for (const hash of hashes) {
    try {
      return await chain.getTransactionReceipt({ hash });
    } catch (problem) {
      if (!(problem instanceof TransactionReceiptNotFoundError)) throw problem;
    }
  }
  return undefined;
}
