// Refunds that the merchant's wallet signs as an EIP-3009 authorization.
import {
  type DraftedRefund,
  REFUND_VALIDITY_SECONDS,
  type RefundDraft,
  type RefundFamily,
  type RefundQuestions,
  type RefundRefusal,
  type RefundVerdict,
  type StoredRefund,
  type TokenEntry,
  type VerifiedRefund,
} from '@svc-pay/core';
import { chainIdOf, type Hex, typedData } from '@svc-pay/protocol';
import type { RefundTypedData } from '@svc-pay/protocol/merchant';

/** A transfer is proven by the logs of its authorization, as a direct payment is. */
const signs = ({ signing, domain, directLogs }: TokenEntry): boolean =>
  signing === 'TransferWithAuthorization' && domain !== undefined && directLogs !== undefined;

const REFUSALS = {
  insufficient_funds: 'refund_insufficient_funds',
  refused: 'refund_recipient_refused',
  invalid_signature: 'refund_signature_invalid',
  nonce_used: 'refund_found_on_chain',
} as const satisfies Record<Extract<RefundVerdict, { ok: false }>['code'], RefundRefusal>;

export function createAuthorizationRefunds(questions: RefundQuestions): RefundFamily {
  return {
    owns: questions.owns,
    kind: 'authorization',
    signs,
    isAddress: (text) => /^0x[0-9a-fA-F]{40}$/.test(text),
    isTransactionId: (text) => /^0x[0-9a-fA-F]{64}$/.test(text),
    async canReceive(token, payer, byContract) {
      // Whoever has the key of a plain account has it on every chain. A contract is at its address only where it was deployed.
      return !byContract || (await questions.hasCode(token.network, payer));
    },
    findUsed: questions.findUsedNonce,
    draft: (draft, nowMs) => draftAuthorization(questions, draft, nowMs),
    read: ({ signature }) => signature?.toLowerCase(),
    async verify(refund, token, { signature = '' }): Promise<VerifiedRefund> {
      const verdict = await questions.verifyRefund({ ...transferOf(refund, token), signature });
      if (!verdict.ok) return { ok: false, code: REFUSALS[verdict.code] };
      return { ok: true, submitted: { signature: signature.toLowerCase(), byContract: verdict.byContract } };
    },
  };
}

async function draftAuthorization(
  questions: RefundQuestions,
  draft: RefundDraft,
  nowMs: number,
): Promise<DraftedRefund> {
  const { token, recipient, amountAtomic, nonce, terms } = draft;
  const { wallet } = terms;
  const facts = await questions.readRefundFacts({ token, wallet, recipient, amountAtomic, nonce });
  if (facts.nonceUsed) return { ok: false, code: REFUSALS.nonce_used };
  if (facts.transfer !== 'passes') return { ok: false, code: REFUSALS[facts.transfer] };
  const validBeforeSeconds = BigInt(Math.floor(nowMs / 1_000) + REFUND_VALIDITY_SECONDS);
  return {
    ok: true,
    sign: {
      kind: 'evm_typed_data',
      typedData: typedDataOf(draft, validBeforeSeconds),
      terms,
    },
    validAfterSeconds: 0n,
    validBeforeSeconds,
    transfer: null,
    expiresAtMs: Number(validBeforeSeconds) * 1_000,
  };
}

function typedDataOf({ token, recipient, amountAtomic, nonce, terms }: RefundDraft, before: bigint): RefundTypedData {
  const chainId = chainIdOf(token.network);
  if (chainId === undefined || token.domain === undefined) throw new Error(`${token.shortcode} has no EIP-712 domain`);
  const data = typedData(
    { ...token.domain, chainId, verifyingContract: token.address as Hex },
    {
      primaryType: 'TransferWithAuthorization',
      message: {
        from: terms.wallet as Hex,
        to: recipient as Hex,
        value: amountAtomic.toString(),
        validAfter: '0',
        validBefore: before.toString(),
        nonce: nonce as Hex,
      },
    },
  );
  return data as unknown as RefundTypedData;
}

function transferOf(refund: StoredRefund, token: TokenEntry) {
  const { id, wallet, recipient, amountAtomic, nonce, validAfterSeconds, validBeforeSeconds } = refund;
  if (amountAtomic === null || nonce === null || validAfterSeconds === null || validBeforeSeconds === null)
    throw new Error(`refund ${id} has no terms that its wallet could sign`);
  return { token, wallet, recipient, amountAtomic, nonce, validAfterSeconds, validBeforeSeconds };
}
