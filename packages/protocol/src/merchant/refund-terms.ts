// What the service asks a wallet to sign, against the refund that was asked for. A field that differs means that nothing is
// signed: a service that was taken over could otherwise have the wallet pay anybody.
import { readRefundTerms, refundNonce } from '../eip712/refund-nonce.ts';
import { typedData as buildTypedData, type Hex } from '../eip712/typed-data.ts';
import { chainIdOf, type NetworkId } from '../network/network.ts';
import {
  bytesFromBase64,
  type Instruction,
  readTransaction,
  readTransfer,
  refundMemo,
  refundReference,
  tokenAccountOf,
  transferParts,
} from '../solana/index.ts';
import type { CreatedRefund, RefundSign, RefundTypedData } from './refund.ts';

/** What the merchant wants, from his own records as far as he has them. */
export type WantedRefund = {
  readonly paymentId: string;
  readonly mode: 'test' | 'live';
  /** The signer's address. */
  readonly wallet: string;
  readonly recipient: string;
  readonly network: NetworkId;
  /** Contract or mint. */
  readonly token: string;
  /** The exact amount. */
  readonly amountAtomic: bigint;
  readonly nowMs: number;
};

type EvmSign = Extract<RefundSign, { kind: 'evm_typed_data' }>;
type SolanaSign = Extract<RefundSign, { kind: 'solana_transaction' }>;

/** Longer than the hour of the service by as much as clocks may differ. */
const LONGEST_SECONDS = 2 * 3_600;

const same = (one: string, other: string): boolean =>
  one.startsWith('0x') ? one.toLowerCase() === other.toLowerCase() : one === other;

/** The nonce of the terms, if they are those of the wanted refund; undefined otherwise. */
function nonceOf({ terms }: RefundSign, wanted: WantedRefund): Hex | undefined {
  const read = readRefundTerms(terms);
  const isWanted =
    read !== undefined &&
    read.mode === wanted.mode &&
    read.network === wanted.network &&
    read.paymentId === wanted.paymentId &&
    same(read.token, wanted.token) &&
    same(read.wallet, wanted.wallet);
  return isWanted ? refundNonce(read) : undefined;
}

/** The name of the first field that differs; undefined when all are as wanted. */
export function evmDifference(sign: EvmSign, wanted: WantedRefund): string | undefined {
  const { domain, message, primaryType, types } = sign.typedData;
  const built = buildTypedData({ ...domain, verifyingContract: domain.verifyingContract as Hex }, {
    primaryType,
    message,
  } as Parameters<typeof buildTypedData>[1]);
  if (JSON.stringify(types[primaryType]) !== JSON.stringify(built.types[primaryType])) return 'types';
  if (domain.chainId !== chainIdOf(wanted.network)) return 'chainId';
  if (!same(domain.verifyingContract, wanted.token)) return 'verifyingContract';
  if (!same(message.from, wanted.wallet)) return 'from';
  if (!same(message.to, wanted.recipient)) return 'to';
  if (message.value !== wanted.amountAtomic.toString()) return 'value';
  if (message.nonce.toLowerCase() !== nonceOf(sign, wanted)) return 'nonce';
  if (message.validAfter !== '0') return 'validAfter';
  const leftSeconds = Number(message.validBefore) - Math.floor(wanted.nowMs / 1_000);
  return leftSeconds > LONGEST_SECONDS ? 'validBefore' : undefined;
}

/** For a signer: numbers are bigints, and the domain's own type is left out. */
export function signableOf({ domain, types, primaryType, message }: RefundTypedData) {
  return {
    domain,
    types: { [primaryType]: types[primaryType] },
    primaryType,
    message: {
      ...message,
      value: BigInt(message.value),
      validAfter: BigInt(message.validAfter),
      validBefore: BigInt(message.validBefore),
    },
  };
}

export type CheckedRefundTransaction =
  | {
      readonly ok: true;
      /** What is signed. */
      readonly message: Uint8Array;
      readonly signers: readonly string[];
      /** The transaction with the signature in its place, in bytes. */
      readonly signedWith: (signature: Uint8Array) => Uint8Array;
    }
  | { readonly ok: false; readonly difference: string };

const SIGNATURE_BYTES = 64;
export function checkTransaction(
  sign: SolanaSign,
  refundId: CreatedRefund['refund']['id'],
  wanted: WantedRefund,
): CheckedRefundTransaction {
  const refused = (difference: string) => ({ ok: false, difference }) as const;
  const wire = bytesFromBase64(sign.transaction);
  const transaction = wire && readTransaction(wire);
  if (wire === undefined || transaction === undefined) return refused('transaction');
  const { signers, instructions } = transaction;
  const [feePayer, wallet, ...others] = signers;
  if (feePayer === wanted.wallet) return refused('feePayer');
  if (wallet !== wanted.wallet || others.length > 0) return refused('from');
  const nonce = nonceOf(sign, wanted);
  if (nonce === undefined) return refused('nonce');
  const difference = instructionDifference(instructions, refundId, refundReference(nonce), wanted);
  if (difference !== undefined) return refused(difference);
  const start = 1 + signers.length * SIGNATURE_BYTES;
  return {
    ok: true,
    message: wire.slice(start),
    signers,
    signedWith: (signature) => {
      const signed = wire.slice();
      signed.set(signature, 1 + SIGNATURE_BYTES);
      return signed;
    },
  };
}

function instructionDifference(
  all: readonly Instruction[],
  refundId: string,
  reference: string,
  wanted: WantedRefund,
): string | undefined {
  const parts = transferParts(all);
  const [memo, ...otherMemos] = parts?.memos ?? [];
  const [instruction, ...others] = parts?.transfers ?? [];
  const transfer = instruction && readTransfer(instruction);
  if (instruction === undefined || transfer === undefined || others.length > 0) return 'instruction';
  if (otherMemos.length > 0 || new TextDecoder().decode(memo?.data) !== refundMemo(refundId)) return 'memo';
  const { wallet, recipient, token, amountAtomic } = wanted;
  const { program } = instruction;
  if (transfer.mint !== token) return 'token';
  if (transfer.authority !== wallet || transfer.source !== tokenAccountOf(wallet, token, program)) return 'from';
  if (transfer.destination !== tokenAccountOf(recipient, token, program)) return 'to';
  if (transfer.references.length !== 1 || transfer.references[0] !== reference) return 'nonce';
  return transfer.amountAtomic === amountAtomic ? undefined : 'value';
}
