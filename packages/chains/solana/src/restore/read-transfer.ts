// Reads a payment back from the bytes of its transaction. The relayer's signature proves that this service had verified it:
// a transaction of somebody else may name the relayer, an intent and a merchant, and proves nothing.
import {
  type CarriedTransfer,
  ChainUnavailable,
  claimKey,
  type FoundTransfer,
  TOKENS,
  type TransferPayout,
  type TransferReading,
} from '@svc-pay/core';
import { atomicAmount, payoutTerms } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { REFUND_MEMO_PREFIX } from '@svc-pay/protocol/solana';
import { base58Of } from '../bytes/base58.ts';
import { isSignedBy } from '../bytes/is-signed-by.ts';
import type { FinalWire } from '../rpc/solana-node.ts';
import { legsOf } from '../transfer/legs.ts';
import { hashOf } from '../transfer/prepare-transfer.ts';
import { ED25519_PROGRAM } from '../transfer/programs.ts';
import { tokenAccountOf } from '../transfer/token-account.ts';
import { MEMO_PREFIX, type TransferTerms } from '../transfer/transfer-terms.ts';
import { memosIn } from '../verify/read-memo.ts';
import { type MessageV0, readTransaction } from '../verify/read-transaction.ts';
import { verifySigned } from '../verify/verify-signed.ts';
import { readMovedTokens } from './read-moved-tokens.ts';

export type TransferToRead = {
  readonly network: NetworkId;
  readonly relayer: string;
  readonly found: FoundTransfer;
  readonly told: FinalWire;
  readonly payouts: readonly TransferPayout[];
  /** Height of the newest block that a node has. The transaction is final, so its own block is not higher. */
  readonly height: bigint;
};

/** More than the blocks of a blockhash, so that a transaction never counts as expired too early. */
const LIFE_BLOCKS = 300n;
const LIFE_SECONDS = 120n;

type Facts = {
  readonly carried: CarriedTransfer;
  readonly terms: Omit<TransferTerms, 'legs'>;
  readonly amount: bigint;
};

/** Throws `ChainUnavailable` where the bytes are not those of the transaction: the node lies or is broken. */
export async function readTransfer(given: TransferToRead): Promise<TransferReading> {
  const { relayer, found, told } = given;
  if (base58Of(told.wire.subarray(1, 65)) !== found.transactionId)
    throw new ChainUnavailable(`getTransaction: the bytes of ${found.transactionId} have another signature`);
  const base64 = Buffer.from(told.wire).toString('base64');
  const read = readTransaction(base64);
  if (!read.ok) return { kind: 'other' };
  const { transaction, message } = read;
  const [feePayer, payer] = Object.keys(transaction.signatures);
  if (feePayer !== relayer) return { kind: 'other' };
  if (!isSignedBy(relayer, told.wire.subarray(1, 65), Uint8Array.from(transaction.messageBytes)))
    throw new ChainUnavailable(`getTransaction: ${found.transactionId} is not signed by ${relayer}`);
  if (namesProgram(message, ED25519_PROGRAM)) return { kind: 'text_payment' };
  if (payer === undefined) return { kind: 'other' };
  const facts = factsOf(given, payer, { message, messageHash: hashOf(transaction.messageBytes) });
  if (facts === undefined) return { kind: 'other' };
  const { carried } = facts;
  const payouts = await payoutsThatFit(base64, facts, given.payouts);
  if (payouts.length === 0) return { kind: 'payout_unknown', carried, slot: told.slot };
  const { network } = given;
  const { transactionId } = found;
  const onChain = { network, relayer, transactionId, raw: told.wire, slot: told.slot, carried, payouts };
  return { kind: 'payment', onChain };
}

function factsOf(
  { network, relayer, told, height }: TransferToRead,
  payer: string,
  { message, messageHash }: { readonly message: MessageV0; readonly messageHash: string },
): Facts | undefined {
  const moved = readMovedTokens(message);
  const token = TOKENS.find((known) => known.network === network && known.address === moved?.mint);
  if (moved === undefined || token === undefined) return undefined;
  const { mint, tokenProgram, decimals, amount } = moved;
  const memo = memoOf(message);
  // A refund is found again by its reference, when the next refund of its payment is prepared.
  if (memo?.startsWith(REFUND_MEMO_PREFIX)) return undefined;
  const intentId = memo?.startsWith(MEMO_PREFIX) ? memo.slice(MEMO_PREFIX.length) : null;
  const ownMemo = intentId === null ? { memo } : {};
  const lifetime = {
    blockhash: message.lifetimeToken,
    lastValidBlockHeight: height + LIFE_BLOCKS,
    slot: told.slot > LIFE_BLOCKS ? told.slot - LIFE_BLOCKS : 0n,
  };
  const carried: CarriedTransfer = {
    intentId,
    asset: mint,
    kind: 'solana_transaction',
    byContract: false,
    payer,
    capAtomic: amount,
    settledAtomic: amount,
    validAfterSeconds: 0n,
    validBeforeSeconds: told.blockTimeSeconds === undefined ? undefined : told.blockTimeSeconds + LIFE_SECONDS,
    nonce: `0x${messageHash}`,
    signature: `0x${Buffer.from(withoutRelayer(told.wire)).toString('hex')}`,
    claimKey: claimKey({ network, asset: mint, payer, uniquePart: messageHash }),
    transfer: { relayer, tokenProgram, decimals, ...lifetime, ...ownMemo },
  };
  return {
    carried,
    amount,
    terms: { intentId: intentId ?? '', payer, relayer, mint, tokenProgram, decimals, ...ownMemo },
  };
}

/** The payouts under whose terms the relayer would have signed these very bytes. */
async function payoutsThatFit(
  base64: string,
  { terms, amount, carried }: Facts,
  payouts: readonly TransferPayout[],
): Promise<readonly TransferPayout[]> {
  const named = new Set<string>(readTransactionAccounts(base64));
  const fitting: TransferPayout[] = [];
  for (const payout of payouts) {
    const { merchant, feeRecipient } = payout;
    const made = payoutTerms(payout);
    if (!made.ok) continue;
    const legs = legsOf(atomicAmount(amount), { merchant, feeRecipient, terms: made.terms });
    const [first] = legs;
    if (first === undefined || !named.has(await tokenAccountOf(first.owner, carried.asset, terms.tokenProgram)))
      continue;
    const verified = await verifySigned(base64, { terms: { ...terms, legs }, blockhash: null, messageHash: null });
    if (verified.ok) fitting.push(payout);
  }
  return fitting;
}

function readTransactionAccounts(base64: string): readonly string[] {
  const read = readTransaction(base64);
  return read.ok ? read.message.staticAccounts : [];
}

/** Null without a memo. The relayer signs no transaction with two of them, or with one that is not text. */
function memoOf(message: MessageV0): string | null {
  const [data] = memosIn(message);
  return data === undefined ? null : Buffer.from(data).toString('utf8');
}

const namesProgram = ({ staticAccounts, instructions }: MessageV0, program: string) =>
  instructions.some(({ programAddressIndex }) => staticAccounts[programAddressIndex] === program);

/** The transaction as the payer's wallet submitted it: with zeros as the relayer's signature, which is the first. */
function withoutRelayer(wire: Uint8Array): Uint8Array {
  return Uint8Array.from(wire).fill(0, 1, 65);
}
