// Settling an exact EVM payment by its signed header. A header that was claimed before is answered from rows, without
// asking the chain again; a new one is verified cheap first, claimed in one statement, and then waited for. Nothing is
// sent from here: the claim queues the payment, and a lane takes it from there.
import {
  type AcceptanceEcho,
  decodePaymentHeader,
  type EvmPaymentHeader,
  parseNetwork,
  type SettleResponse,
} from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import type { IdempotencyClaim } from '../idempotency/stored-answer.ts';
import { claimKey } from './claim-key.ts';
import { refusalAnswer, settleAnswer } from './settle-answer.ts';
import type { SentAuthorization, SettlePorts } from './settle-ports.ts';
import type { SettlementRead } from './settlement-read.ts';
import { isEvmHeader, type VerifiedTerms, verifyTerms } from './verify-terms.ts';

export type SettleCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  readonly encodedHeader: string;
  readonly echo: AcceptanceEcho | null | undefined;
  readonly claim: IdempotencyClaim | null;
  /** Over its rate limit: only a header that was claimed before is answered. */
  readonly limited: boolean;
};

export type Settled =
  /** `replayed`: the header had been claimed before this call. */
  | { readonly ok: true; readonly response: SettleResponse; readonly replayed: boolean }
  | {
      readonly ok: false;
      readonly code: 'not_found' | 'chain_unavailable' | 'rate_limited' | 'idempotency_key_reused';
    };

/** Refusals after which somebody may have claimed the same authorization meanwhile, and used it. */
export const MAY_BE_CLAIMED: ReadonlySet<string> = new Set([
  'authorization_already_used',
  'permit_nonce_mismatch',
  'insufficient_funds',
]);
const MAX_CLAIM_TRIES = 3;

export async function settlePayment(ports: SettlePorts, call: SettleCall): Promise<Settled> {
  const { caller, intentId, claim } = call;
  const sent = authorizationIn(call.encodedHeader);
  const read = await ports.loadSettlement(caller, intentId, sent);
  if (read === undefined) return call.limited ? { ok: false, code: 'rate_limited' } : { ok: false, code: 'not_found' };
  const claimed = read.own !== null && !read.intent.upto;
  if (call.limited && !claimed) return { ok: false, code: 'rate_limited' };
  if (claim !== null && (await ports.isKeyReused(caller, claim))) return { ok: false, code: 'idempotency_key_reused' };
  if (read.intent.upto) return answer(refusalAnswer(read, 'x402_upto_settlement_requires_secret_key'));
  if (!claimed) return settleNewHeader(ports, call, sent, read);
  return { ...(await outcomeOf(ports, call, sent, read)), replayed: true };
}

async function settleNewHeader(
  ports: SettlePorts,
  call: SettleCall,
  sent: SentAuthorization | null,
  read: SettlementRead,
): Promise<Settled> {
  const { caller, intentId } = call;
  const [acceptances, merchant] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.loadMerchant(caller),
  ]);
  const refuse = (code: ErrorCode, detail?: string) => refuseHeader(ports, call, read, sent, code, detail);
  const terms = verifyTerms({
    intent: read.intent,
    acceptances,
    encodedHeader: call.encodedHeader,
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
  const verdict = await ports.verifyAuthorization(terms);
  if (verdict.ok) return claimHeader(ports, call, sent, { ...terms, ...verdict, key });
  if (verdict.code === 'chain_unavailable') return { ok: false, code: verdict.code };
  const holder = MAY_BE_CLAIMED.has(verdict.code) ? await ports.findClaim(caller, intentId, key) : undefined;
  if (holder === 'elsewhere') return refuse('authorization_bound_elsewhere');
  // Claimed for this intent while the chain was asked: the first result stands.
  return holder === 'here' ? outcomeOf(ports, call, sent, await reload(ports, call, sent)) : refuse(verdict.code);
}

type VerifiedHeader = VerifiedTerms &
  Extract<Awaited<ReturnType<SettlePorts['verifyAuthorization']>>, { ok: true }> & { readonly key: Uint8Array };

async function claimHeader(
  ports: SettlePorts,
  call: SettleCall,
  sent: SentAuthorization | null,
  { header, acceptance, kind, byContract, key }: VerifiedHeader,
): Promise<Settled> {
  const { caller, intentId } = call;
  for (let tries = 1; ; tries += 1) {
    const nowMs = ports.clock.nowMs();
    const { outcome } = await ports.claimPayment({
      caller,
      intentId,
      paymentId: newId('payment', nowMs),
      claimKey: key,
      kind,
      byContract,
      acceptance,
      authorization: header.payload.authorization,
      signature: header.payload.signature,
      nowMs,
    });
    const read = await reload(ports, call, sent);
    if (outcome === 'bound_elsewhere') {
      return refuseHeader(ports, call, read, sent, 'authorization_bound_elsewhere');
    }
    if (outcome !== 'intent_taken') return outcomeOf(ports, call, sent, read);
    if (isTaken(read)) return answer(settleAnswer(read));
    // The one that held the intent failed a moment ago, and the intent is payable again.
    const payable = read.intent.status === 'requires_payment' && read.intent.expiresAtMs > ports.clock.nowMs();
    if (!payable || tries === MAX_CLAIM_TRIES) return refuseHeader(ports, call, read, sent, 'intent_not_payable');
  }
}

/** The answer to a header that is claimed, after waiting for its payment's end. */
async function outcomeOf(
  ports: SettlePorts,
  call: SettleCall,
  sent: SentAuthorization | null,
  first: SettlementRead,
): Promise<Extract<Settled, { ok: true }>> {
  const { caller, intentId, claim } = call;
  if (claim !== null) await ports.bindKey(caller, claim, ports.clock.nowMs());
  const deadlineMs = ports.clock.nowMs() + ports.settleWaitMs;
  let read = first;
  if (isPending(read)) ports.wakeLanes(read.own.payment.network);
  for (let looking = true; looking && isPending(read); ) {
    const leftMs = deadlineMs - ports.clock.nowMs();
    if (leftMs <= 0) break;
    looking = await ports.awaitEnd({ caller, intentId, paymentId: read.own.payment.id }, leftMs);
    read = await reload(ports, call, sent);
  }
  return answer(settleAnswer(read));
}

async function refuseHeader(
  ports: SettlePorts,
  { caller, intentId }: SettleCall,
  read: SettlementRead,
  sent: SentAuthorization | null,
  code: ErrorCode,
  detail?: string,
): Promise<Settled> {
  const payer = sent?.from.toLowerCase() ?? null;
  const nowMs = ports.clock.nowMs();
  await ports.recordAttempt({ caller, intentId, code, detail: detail ?? null, payer, nowMs });
  return answer(refusalAnswer(read, code));
}

async function reload(ports: SettlePorts, call: SettleCall, sent: SentAuthorization | null): Promise<SettlementRead> {
  const read = await ports.loadSettlement(call.caller, call.intentId, sent);
  if (read === undefined) throw new Error('an intent is gone');
  return read;
}

export function claimKeyOf(ports: Pick<SettlePorts, 'uniquePartOf'>, terms: VerifiedTerms): Uint8Array {
  const { network, token } = terms.acceptance;
  const { from: payer } = terms.header.payload.authorization;
  return claimKey({ network, asset: token.address, payer, uniquePart: ports.uniquePartOf(terms) });
}

/** Null when the header can't be read, or carries none for an EVM chain. */
export function authorizationIn(encodedHeader: string): SentAuthorization | null {
  const decoded = decodePaymentHeader(encodedHeader);
  if (!decoded.ok || !isEvmHeader(decoded.header)) return null;
  const { network: name, payload }: EvmPaymentHeader = decoded.header;
  const network = parseNetwork(name);
  return network === undefined ? null : { ...payload.authorization, network };
}

/** Somebody's payment holds the intent, or has ended it well. */
const isTaken = ({ intent }: SettlementRead) =>
  intent.status === 'processing' || intent.status === 'completed' || intent.status === 'mismatched';

function isPending(read: SettlementRead): read is SettlementRead & { own: NonNullable<SettlementRead['own']> } {
  return read.own?.payment.status === 'pending';
}

const answer = (response: SettleResponse) => ({ ok: true, response, replayed: false }) as const;
