// Settling an exact payment by its signed header. What is new is verified cheap first, and then by the chain.
import { type AcceptanceEcho, type DecodedHeader, decodePaymentHeader, parseNetwork } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { claimKey } from './claim-key.ts';
import { settleAnswer } from './settle-answer.ts';
import type { SentAuthorization, SettlePorts } from './settle-ports.ts';
import {
  answer,
  claimSent,
  isTaken,
  outcomeOf,
  refuseSent,
  reload,
  type SentCall,
  type Settled,
  settleSent,
} from './settle-sent.ts';
import { settleTransfer, transferIn } from './settle-transfer.ts';
import type { SettlementRead } from './settlement-read.ts';
import type { TransferPorts } from './transfer-ports.ts';
import { hasAuthorization, type VerifiedTerms, verifyTerms } from './verify-terms.ts';

export type SettleCall = SentCall & {
  readonly encodedHeader: string;
  readonly echo: AcceptanceEcho | null | undefined;
};

/** Refusals after which somebody may have claimed the same authorization meanwhile, and used it. */
export const MAY_BE_CLAIMED: ReadonlySet<string> = new Set([
  'authorization_already_used',
  'permit_nonce_mismatch',
  'insufficient_funds',
  'approval_missing',
]);

export async function settlePayment(ports: SettlePorts & TransferPorts, call: SettleCall): Promise<Settled> {
  const decoded = decodePaymentHeader(call.encodedHeader);
  const transfer = transferIn(decoded);
  if (transfer !== undefined) return settleTransfer(ports, { ...call, ...transfer });
  const sent = authorizationIn(decoded);
  return settleSent(ports, call, sent, (read) => settleNewHeader(ports, { ...call, decoded }, sent, read));
}

async function settleNewHeader(
  ports: SettlePorts,
  call: SettleCall & { readonly decoded: DecodedHeader },
  sent: SentAuthorization | null,
  read: SettlementRead,
): Promise<Settled> {
  const { caller, intentId } = call;
  const [acceptances, merchant] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.loadMerchant(caller),
  ]);
  const refuse = (code: ErrorCode, detail?: string) => refuseSent(ports, call, read, sent, code, detail);
  const terms = verifyTerms({
    intent: read.intent,
    acceptances,
    decoded: call.decoded,
    echo: call.echo,
    minimumUsdMicros: merchant.minimumUsdMicros,
    nowMs: ports.clock.nowMs(),
    purpose: 'exact',
  });
  if (!terms.ok) {
    // A fitting header that comes too late is told how the intent stands; no claim is taken and no chain is asked.
    if (terms.code === 'intent_not_payable' && isTaken(read)) return answer(settleAnswer(read));
    return refuse(terms.code, terms.detail);
  }
  const key = claimKeyOf(ports, terms);
  const verdict = await ports.verifyAuthorization(terms, call);
  if (verdict.ok) {
    const { kind, byContract, transfer } = verdict;
    const { authorization, signature: sentSignature } = terms.header.payload;
    const signature = verdict.signature ?? sentSignature;
    const { acceptance } = terms;
    const signed = { kind, byContract, authorization, signature, ...(transfer !== undefined && { transfer }) };
    return claimSent(ports, call, sent, { claimKey: key, acceptance, ...signed });
  }
  if (verdict.code === 'chain_unavailable') return { ok: false, code: verdict.code };
  const holder = MAY_BE_CLAIMED.has(verdict.code) ? await ports.findClaim(caller, intentId, key) : undefined;
  if (holder === 'elsewhere') return refuse('authorization_bound_elsewhere');
  // Claimed for this intent while the chain was asked: the first result stands.
  return holder === 'here' ? outcomeOf(ports, call, sent, await reload(ports, call, sent)) : refuse(verdict.code);
}

export function claimKeyOf(ports: Pick<SettlePorts, 'uniquePartOf'>, terms: VerifiedTerms): Uint8Array {
  const { network, token } = terms.acceptance;
  const { from: payer } = terms.header.payload.authorization;
  return claimKey({ network, asset: token.address, payer, uniquePart: ports.uniquePartOf(terms) });
}

/** Null when the header can't be read, or carries none. */
export function authorizationIn(decoded: DecodedHeader): SentAuthorization | null {
  if (!decoded.ok || !hasAuthorization(decoded.header)) return null;
  const { network: name, payload } = decoded.header;
  const network = parseNetwork(name);
  return network === undefined ? null : { ...payload.authorization, network };
}
