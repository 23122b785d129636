// Verifies a signed transaction for an exact intent: the terms first, without the chain, then its family checks the bytes
// and asks the chain. Writes nothing.
import { parseNetwork } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Intent } from '../intent/intent.ts';
import { isPayable } from '../intent/is-payable.ts';
import { matchAccepted } from '../intent/issued-requirements.ts';
import { matchesEcho } from '../intent/match-acceptance.ts';
import { hasPriceEnded, type StoredAcceptance } from '../intent/stored-acceptance.ts';
import { claimKey } from '../payment/claim-key.ts';
import { isBelowMinimum } from '../pricing/below-minimum.ts';
import { sameAddress } from '../token/address.ts';
import type { HeaderContext, TransactionFamily } from './payment-family.ts';
import type { TransactionSubmission } from './read-submission.ts';
import type { SettlePorts } from './settle-ports.ts';
import type { Verification } from './verify-authorization.ts';

export async function verifyTransaction(
  ports: Pick<SettlePorts, 'clock' | 'loadAcceptances'>,
  { caller, intentId }: HeaderContext,
  submission: TransactionSubmission,
  intent: Intent,
): Promise<Verification> {
  const { family, payment, transaction, memo } = submission;
  if (family === null || payment === null) return { ok: false, code: 'invalid_payment_header', detail: 'transaction' };
  const stored = await ports.loadAcceptances(caller, intentId);
  const repeated = submission.accepted && matchAccepted(stored, intentId, submission.accepted);
  if (repeated?.ok === false) return { ok: false, code: 'acceptance_mismatch', detail: repeated.field };
  const meant = acceptancesFor(repeated?.acceptances ?? stored, family, submission);
  if (!meant.ok) return meant;
  if (!isPayable(intent, ports.clock.nowMs())) return { ok: false, code: 'intent_not_payable' };
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, payment.payer))
    return { ok: false, code: 'sender_mismatch' };
  const acceptances = meant.acceptances.filter((acceptance) => !hasPriceEnded(acceptance, ports.clock.nowMs()));
  if (acceptances.length === 0) return { ok: false, code: 'intent_not_payable', detail: 'price' };

  const verdict = await family.transactions.verify({
    caller,
    intentId,
    acceptances,
    transaction,
    ...(memo && { memo }),
  });
  if (!verdict.ok) return { ...verdict, claimed: 'perhaps' };
  const { acceptance, signed } = verdict;
  const { network, token, amount, rate, minimumUsdMicros } = acceptance;
  if (isBelowMinimum(amount, rate, minimumUsdMicros)) return { ok: false, code: 'x402_minimum_amount_not_met' };
  const key = claimKey({ network, asset: token.address, payer: payment.payer, uniquePart: payment.messageHash });
  return { ok: true, verified: { ...signed, claimKey: key, acceptance } };
}

type Meant =
  | { readonly ok: true; readonly acceptances: readonly StoredAcceptance[] }
  | { readonly ok: false; readonly code: ErrorCode };

/** Acceptances that the transaction may pay, by its family, its header and the echoed acceptance. */
function acceptancesFor(
  stored: readonly StoredAcceptance[],
  family: TransactionFamily,
  { header, echo }: TransactionSubmission,
): Meant {
  const own = stored.filter(({ network }) => family.owns(network));
  if (own.length === 0) return { ok: false, code: header === null ? 'acceptance_mismatch' : 'network_mismatch' };
  if (header !== null && header.scheme !== 'exact') return { ok: false, code: 'scheme_mismatch' };
  const named = header === null ? own : own.filter(({ network }) => network === parseNetwork(header.network));
  if (named.length === 0) return { ok: false, code: 'network_mismatch' };
  if (echo === null || echo === undefined) return { ok: true, acceptances: named };
  const alike = named.filter((acceptance) => matchesEcho(acceptance, echo));
  if (alike.length === 0) return { ok: false, code: 'acceptance_mismatch' };
  const { asset } = echo;
  const acceptances = alike.filter(({ token }) => !asset || sameAddress(token.address, asset));
  return acceptances.length === 0 ? { ok: false, code: 'asset_mismatch' } : { ok: true, acceptances };
}
