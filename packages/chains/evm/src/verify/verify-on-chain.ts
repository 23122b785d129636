// The part of verification that needs the chain: who signed, whether the authorization is unused, and whether the payer
// has the money. Anybody may send a signature, so the key is recovered first, without the chain: a signature that is
// not the payer's costs one call, which asks whether the payer is a contract. A valid one costs one round trip for a
// key and three for a contract wallet, shared with other requests. Whether the key or the code of an account decides is the
// token's own rule, without a fallback: what is verified by the other one could not be settled.
import { type DirectSignature, signatureRuleOf, type VerifiedTerms } from '@svc-pay/core';
import type { Hex } from '@svc-pay/protocol';
import { keccak256 } from 'viem';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';
import {
  askBalance,
  askBlockNumber,
  askCode,
  askPermitNonce,
  askUsed,
  askWallet,
  readBlockNumber,
  readCode,
  readUint,
  readUsed,
  readWallet,
} from './chain-questions.ts';
import { readSignature } from './read-signature.ts';
import { recoverSigner } from './recover-signer.ts';
import { type SignedDigest, signedDigests } from './signed-digests.ts';

export type ChainRefusal =
  | 'invalid_payment_header'
  | 'invalid_signature'
  | 'wallet_not_deployed'
  | 'authorization_already_used'
  | 'permit_nonce_mismatch'
  | 'insufficient_funds';

/** What a valid signature is. `direct` is set for an authorization that pays the merchant's own wallet. */
export type ChainProof = {
  readonly signed: SignedDigest;
  readonly byContract: boolean;
  /** Of the contract wallet; of an account that delegates (EIP-7702), of the delegation, which names its target. */
  readonly codeHash?: Hex;
  readonly direct?: DirectSignature;
  /** What the payer has of the token. */
  readonly balance: bigint;
};

export type ChainVerdict =
  | ({ readonly ok: true } & ChainProof)
  /** `proof`: the authorization is direct and validly signed, so it can be submitted by anybody. */
  | { readonly ok: false; readonly code: ChainRefusal; readonly proof?: ChainProof }
  /** The chain could not be asked: nothing is known, and nothing is refused. */
  | { readonly ok: false; readonly code: 'chain_unavailable'; readonly problem: unknown };

export async function verifyOnChain(rpc: JsonRpc, terms: VerifiedTerms): Promise<ChainVerdict> {
  const { header, acceptance } = terms;
  const { authorization, signature } = header.payload;
  const { token } = acceptance;
  const payer = authorization.from as Hex;
  const nonce = authorization.nonce as Hex;
  const isPermit = token.signing === 'Permit';
  const isDirect = acceptance.direct !== undefined;
  const digests = signedDigests(token, authorization, isDirect);
  const byKey = signedByKey(payer, digests, signature as Hex);
  const facts = [
    askBalance(token.address, payer),
    isPermit ? askPermitNonce(token.address, payer) : askUsed(token.address, payer, nonce),
  ];
  try {
    // When the payer's own key signed, the other questions go into the same round trip. The block number is asked first, so
    // that it is not above the block at which the authorization is seen unused.
    const early = typeof byKey === 'string' ? [] : facts;
    const answers = await rpc([...(isDirect ? [askBlockNumber] : []), askCode(payer), ...early]);
    const block = isDirect ? answers[0] : undefined;
    const [code, ...earlyAnswers] = isDirect ? answers.slice(1) : answers;
    const walletCode = readCode(answered(code));
    const hasCode = walletCode !== '0x';
    const byContract = hasCode && signatureRuleOf(token) === 'wallet';
    const signed = byContract ? await signedByContract(rpc, payer, digests, signature as Hex) : byKey;
    if (typeof signed === 'string') return { ok: false, code: hasCode ? 'invalid_signature' : signed };
    const [owned, use] = early.length > 0 ? earlyAnswers : await rpc(facts);
    const balance = readUint(answered(owned));
    const used = isPermit ? readUint(answered(use)) !== BigInt(nonce) : readUsed(answered(use));
    const bound = terms.bound === true;
    const proof: ChainProof = {
      signed,
      byContract,
      balance,
      ...(byContract && { codeHash: keccak256(walletCode) }),
      ...(isDirect && { direct: { bound, used, atBlock: belowReorgs(readBlockNumber(answered(block))) } }),
    };
    // The chain's logs tell what a bound authorization paid for: this intent.
    if (used && isDirect && bound) return { ok: true, ...proof };
    if (used) return { ok: false, code: isPermit ? 'permit_nonce_mismatch' : 'authorization_already_used' };
    if (balance < acceptance.amount) return { ok: false, code: 'insufficient_funds', ...(isDirect && { proof }) };
    return { ok: true, ...proof };
  } catch (problem) {
    return { ok: false, code: 'chain_unavailable', problem };
  }
}

/** Deeper than any reorg. */
const REORG_BLOCKS = 1_024n;

/**
 * What is unused at the head is unused in every block below it. A reorg may bring a later use into a block below the head
 * that was seen: if the head were stored, that use would count as one before the claim, and the intent be paid twice.
 */
const belowReorgs = (head: bigint): bigint => (head > REORG_BLOCKS ? head - REORG_BLOCKS : 0n);

function answered(answer: RpcAnswer | undefined): RpcAnswer {
  if (answer === undefined) throw new Error('the node gave fewer answers than it was asked');
  return answer;
}

/** Without the chain. */
export function signedByKey(payer: Hex, digests: readonly SignedDigest[], signature: Hex): SignedDigest | ChainRefusal {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  if (bytes.length !== 64 && bytes.length !== 65)
    return isOfUndeployedWallet(signature) ? 'wallet_not_deployed' : 'invalid_payment_header';
  const read = readSignature(bytes);
  if (read === undefined) return 'invalid_signature';
  const signed = digests.find(({ digest }) => recoverSigner(digest, read) === payer.toLowerCase());
  return signed ?? 'invalid_signature';
}

/** ERC-6492: what follows a signature whose wallet a factory would deploy first. We never call that factory. */
const UNDEPLOYED_WALLET = '6492'.repeat(16);

const isOfUndeployedWallet = (signature: Hex): boolean => signature.toLowerCase().endsWith(UNDEPLOYED_WALLET);

/** Asks the wallet contract; a key's signature over the same digest proves nothing here. */
export async function signedByContract(
  rpc: JsonRpc,
  payer: Hex,
  digests: readonly SignedDigest[],
  signature: Hex,
): Promise<SignedDigest | ChainRefusal> {
  const answers = await rpc(digests.map(({ digest }) => askWallet(payer, digest, signature)));
  return (
    digests.find((_, index) => {
      const answer = answers[index];
      return answer !== undefined && readWallet(answer);
    }) ?? 'invalid_signature'
  );
}
