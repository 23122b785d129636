// The part of verification that needs the chain: whose signature it is, whether the authorization is unused, and whether
// the payer holds the money. One round trip for a key, two for a contract wallet, shared with other requests.
import type { VerifiedTerms } from '@svc-pay/core';
import type { Hex } from '@svc-pay/protocol';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import {
  askBalance,
  askCode,
  askPermitNonce,
  askUsed,
  askWallet,
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
  | 'authorization_already_used'
  | 'permit_nonce_mismatch'
  | 'insufficient_funds';

export type ChainVerdict =
  | { readonly ok: true; readonly signed: SignedDigest; readonly byContract: boolean }
  | { readonly ok: false; readonly code: ChainRefusal }
  /** The chain could not be asked: nothing is known, and nothing is refused. */
  | { readonly ok: false; readonly code: 'chain_unavailable'; readonly problem: unknown };

export async function verifyOnChain(rpc: JsonRpc, { header, acceptance }: VerifiedTerms): Promise<ChainVerdict> {
  const { authorization, signature } = header.payload;
  const { token } = acceptance;
  const payer = authorization.from as Hex;
  const nonce = authorization.nonce as Hex;
  const isPermit = token.signing === 'Permit';
  const digests = signedDigests(token, authorization);
  try {
    const [code, balance, use] = await rpc([
      askCode(payer),
      askBalance(token.address, payer),
      isPermit ? askPermitNonce(token.address, payer) : askUsed(token.address, payer, nonce),
    ]);
    if (code === undefined || balance === undefined || use === undefined) throw new Error('answers are missing');

    const byContract = readCode(code) !== '0x';
    const signed = byContract
      ? await signedByContract(rpc, payer, digests, signature as Hex)
      : signedByKey(payer, digests, signature as Hex);
    if (typeof signed === 'string') return { ok: false, code: signed };
    if (isPermit ? readUint(use) !== BigInt(nonce) : readUsed(use)) {
      return { ok: false, code: isPermit ? 'permit_nonce_mismatch' : 'authorization_already_used' };
    }
    if (readUint(balance) < acceptance.amount) return { ok: false, code: 'insufficient_funds' };
    return { ok: true, signed, byContract };
  } catch (problem) {
    return { ok: false, code: 'chain_unavailable', problem };
  }
}

function signedByKey(payer: Hex, digests: readonly SignedDigest[], signature: Hex): SignedDigest | ChainRefusal {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  if (bytes.length !== 64 && bytes.length !== 65) return 'invalid_payment_header';
  const read = readSignature(bytes);
  if (read === undefined) return 'invalid_signature';
  const signed = digests.find(({ digest }) => recoverSigner(digest, read) === payer.toLowerCase());
  return signed ?? 'invalid_signature';
}

/** The wallet's own word; a key's signature over the same digest proves nothing here. */
async function signedByContract(
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
