// Prepares a refund for the merchant's wallet to sign, or takes the report of a transfer that the merchant made. Nothing is
// reserved for a prepared refund: its signature reserves.
import type { NetworkId } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { type Id, newId } from '@svc-pay/protocol/ids';
import type { CreatedRefund } from '@svc-pay/protocol/merchant';
import type { Caller } from '../account/authenticate.ts';
import type { Clock } from '../clock.ts';
import type { Answer, IdempotencyClaim, RecallAnswer, Recorded } from '../idempotency/stored-answer.ts';
import { ChainUnavailable } from '../lane/lane-chain.ts';
import { normalizeAddress } from '../token/address.ts';
import { findToken } from '../token/find-token.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { judgeRecipient, judgeRefund, judgeSigned, type RefundablePayment } from './judge-refund.ts';
import { probedNonces, type ReportedTransfer, refundNonces, type StoredRefund } from './refund.ts';
import type { RefundFamily } from './refund-family.ts';
import type { RefundStore } from './refund-store.ts';
import { REFUND_STATUS } from './refund-transitions.ts';
import { refundView } from './refund-view.ts';

export type CreateRefundPorts = {
  readonly clock: Clock;
  readonly refunds: RefundStore;
  readonly refundFamilies: readonly RefundFamily[];
  /** Told why a chain could not be asked. */
  readonly chainReadFailed: (network: NetworkId, problem: unknown) => void;
  readonly recallAnswer: RecallAnswer;
  /**
   * Keeps the answer of a request whose work is committed, and either changes nothing that counts or answers the same when
   * it is done again. The answer that was kept first stays.
   */
  readonly keepAnswer: (caller: Caller, claim: IdempotencyClaim, answer: Answer, nowMs: number) => Promise<Recorded>;
};

export type AskedRefund = {
  readonly caller: Caller;
  readonly paymentId: Id<'payment'>;
  /** Undefined: all that is left. */
  readonly amountAtomic: bigint | undefined;
  readonly refundTo: string | undefined;
  readonly from: string | undefined;
  readonly reason: string | null;
  /** Undefined: the wallet has yet to sign. */
  readonly reported: ReportedTransfer | undefined;
  readonly claim: IdempotencyClaim | null;
};

export type RefundRefused = { readonly ok: false; readonly code: ErrorCode; readonly param?: string };
type Done = { readonly ok: true; readonly created: CreatedRefund };

export type AnsweredRefund = { readonly ok: true; readonly answer: Answer; readonly replayed: boolean } | RefundRefused;

/** Another refund may be submitted between the read and the write. */
const MAX_TRIES = 3;

const refused = (code: ErrorCode, param?: string): RefundRefused => ({ ok: false, code, ...(param && { param }) });

export async function createRefund(ports: CreateRefundPorts, asked: AskedRefund): Promise<AnsweredRefund> {
  const { caller, claim } = asked;
  const earlier = claim === null ? undefined : await ports.recallAnswer(caller, claim);
  if (earlier !== undefined) return told(earlier);
  const done = await tryToCreate(ports, asked);
  if (!done.ok) return done;
  const answer: Answer = {
    status: 201,
    headers: { 'cache-control': 'no-store' },
    body: JSON.stringify(done.created),
  };
  const kept = claim === null ? undefined : await ports.keepAnswer(caller, claim, answer, ports.clock.nowMs());
  return kept === undefined || kept.outcome === 'recorded' ? { ok: true, answer, replayed: false } : told(kept);
}

function told(earlier: Exclude<Recorded, { readonly outcome: 'recorded' }>): AnsweredRefund {
  return earlier.outcome === 'replayed'
    ? { ok: true, answer: earlier.answer, replayed: true }
    : refused('idempotency_key_reused', 'Idempotency-Key');
}

/** An unreachable chain says nothing of the refund. */
export async function whenReachable<Result>(
  { chainReadFailed }: Pick<CreateRefundPorts, 'chainReadFailed'>,
  network: NetworkId,
  work: () => Promise<Result>,
): Promise<Result | RefundRefused> {
  try {
    return await work();
  } catch (problem) {
    if (!(problem instanceof ChainUnavailable)) throw problem;
    chainReadFailed(network, problem);
    return refused('chain_unavailable');
  }
}

async function tryToCreate(ports: CreateRefundPorts, asked: AskedRefund): Promise<Done | RefundRefused> {
  for (let tries = 1; ; tries += 1) {
    const payment = await ports.refunds.loadRefundable(asked.caller, asked.paymentId);
    if (payment === undefined) return refused('not_found');
    const done = await whenReachable(ports, payment.network, () => createFor(ports, asked, payment));
    if (done.ok || done.code !== 'refund_superseded' || tries >= MAX_TRIES) return done;
  }
}

async function createFor(
  ports: CreateRefundPorts,
  asked: AskedRefund,
  payment: RefundablePayment,
): Promise<Done | RefundRefused> {
  const known = asked.reported && (await findReported(ports, asked, asked.reported));
  if (known !== undefined) return created(known, null);
  const judged = judgeRefund(payment, asked);
  if (!judged.ok) return refused(judged.code, PARAMS[judged.code]);
  const family = ports.refundFamilies.find(({ owns }) => owns(payment.network));
  const token = findToken(payment.tokenShortcode);
  if (family === undefined || token === undefined) return refused('refund_not_available');
  if (asked.reported !== undefined && !family.isTransactionId(asked.reported.transactionId))
    return refused('malformed_request', 'transactionId');
  const recipient = await recipientOf(family, token, payment, asked);
  if (!recipient.ok) return recipient;
  const terms = { ...judged, recipient: recipient.recipient };
  return asked.reported === undefined
    ? prepare(ports, asked, payment, { ...terms, family, token })
    : report(ports, asked, asked.reported, terms);
}

const PARAMS: Partial<Record<ErrorCode, string>> = {
  refund_exceeds_paid: 'amount',
  refund_too_small: 'amount',
  refund_wallet_unknown: 'from',
  refund_recipient_needed: 'refundTo',
  refund_to_not_needed: 'refundTo',
};

async function recipientOf(
  family: RefundFamily,
  token: TokenEntry,
  payment: RefundablePayment,
  { refundTo, reported }: AskedRefund,
): Promise<{ readonly ok: true; readonly recipient: string } | RefundRefused> {
  if (refundTo !== undefined && !family.isAddress(refundTo)) return refused('malformed_request', 'refundTo');
  const { payer, byContract } = payment;
  if (reported !== undefined && payer === null) return refused('refund_transfer_not_proven', 'transactionId');
  // Of a transfer that was made, only the payer proves that it was for this payment.
  const canReceive = payer !== null && (reported !== undefined || (await family.canReceive(token, payer, byContract)));
  const judged = judgeRecipient(payment, { refundTo }, canReceive);
  if (!judged.ok) return refused(judged.code, PARAMS[judged.code]);
  // Money that a wallet sends to itself is given back to nobody.
  const toOwn =
    refundTo !== undefined && payment.wallets.some((own) => normalizeAddress(own) === normalizeAddress(refundTo));
  return toOwn
    ? refused('refund_recipient_needed', 'refundTo')
    : { ok: true, recipient: normalizeAddress(judged.recipient) };
}

type Terms = { readonly amountAtomic: bigint; readonly wallet: string; readonly recipient: string };

/** The refund that this transfer was reported for before, unless it proved nothing then. */
async function findReported(
  { refunds }: CreateRefundPorts,
  { caller, paymentId }: AskedRefund,
  { transactionId, logIndex }: ReportedTransfer,
): Promise<StoredRefund | undefined> {
  const known = (await refunds.list(caller, paymentId)) ?? [];
  return known.find(
    ({ reported, status }) =>
      reported?.transactionId === normalizeAddress(transactionId) &&
      reported.logIndex === logIndex &&
      status !== REFUND_STATUS.failed,
  );
}

async function report(
  ports: CreateRefundPorts,
  { caller, paymentId, amountAtomic, reason }: AskedRefund,
  { transactionId, logIndex }: ReportedTransfer,
  { wallet, recipient }: Terms,
): Promise<Done | RefundRefused> {
  const { accountId, mode, keyId } = caller;
  const nowMs = ports.clock.nowMs();
  const id = newId('refund', nowMs);
  const reported = { transactionId: normalizeAddress(transactionId), logIndex };
  const recorded = await ports.refunds.recordReported(
    { id, accountId, mode, keyId, paymentId, wallet, recipient, reason, reported, amountAtomic: amountAtomic ?? null },
    nowMs,
  );
  return recorded.ok ? created(recorded.refund, null) : refused(recorded.code, PARAMS[recorded.code]);
}

async function prepare(
  ports: CreateRefundPorts,
  { caller, paymentId, reason }: AskedRefund,
  payment: RefundablePayment,
  { family, token, ...terms }: Terms & { readonly family: RefundFamily; readonly token: TokenEntry },
): Promise<Done | RefundRefused> {
  if (!family.signs(token)) return refused('refund_not_available');
  const costly = judgeSigned(payment, terms.amountAtomic);
  if (costly !== undefined) return refused(costly, PARAMS[costly]);
  const lost = await findLost(ports, family, token, payment, terms.recipient);
  if (lost !== undefined) return lost;
  const { accountId, mode, keyId } = caller;
  const { wallet, recipient, amountAtomic } = terms;
  const { installation, network, asset, nextSequence: sequence } = payment;
  const [own] = refundNonces(installation, { mode, network, asset, wallet, paymentId }, sequence, 1);
  if (own === undefined) throw new Error(`payment ${paymentId} has no next refund`);
  const nowMs = ports.clock.nowMs();
  const id = newId('refund', nowMs);
  const drafted = await family.draft(
    {
      id,
      caller,
      token,
      recipient,
      amountAtomic,
      nonce: own.nonce,
      terms: { installation, mode, network, token: asset, wallet, paymentId, sequence },
    },
    nowMs,
  );
  if (!drafted.ok) return refused(drafted.code, PARAMS[drafted.code]);
  const { ok: _, sign, ...validity } = drafted;
  const recorded = await ports.refunds.recordPrepared(
    {
      ...validity,
      id,
      accountId,
      mode,
      keyId,
      paymentId,
      kind: family.kind,
      sequence,
      nonce: own.nonce,
      wallet,
      recipient,
      amountAtomic,
      reason,
    },
    nowMs,
  );
  return recorded.ok ? created(recorded.refund, sign) : refused(recorded.code, PARAMS[recorded.code]);
}

/**
 * A restored database may have lost a refund, of any wallet of the account. Its nonce is used on the chain: it is recorded,
 * and holds all that is left of the payment until final logs tell its amount.
 */
async function findLost(
  ports: CreateRefundPorts,
  family: RefundFamily,
  token: TokenEntry,
  payment: RefundablePayment,
  recipient: string,
): Promise<RefundRefused | undefined> {
  const { accountId, mode, paymentId } = payment;
  const used = await family.findUsed(token, probedNonces(payment));
  if (used === undefined) return undefined;
  const nowMs = ports.clock.nowMs();
  const recorded = await ports.refunds.recordFound(
    { ...used, id: newId('refund', nowMs), accountId, mode, paymentId, kind: family.kind, recipient },
    nowMs,
  );
  return refused(recorded.ok ? 'refund_found_on_chain' : recorded.code);
}

const created = (refund: StoredRefund, sign: CreatedRefund['sign']): Done => ({
  ok: true,
  created: { refund: refundView(refund), sign },
});
