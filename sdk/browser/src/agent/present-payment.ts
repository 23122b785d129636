// Sends one signed payment until the seller answers it. Whatever comes back, the same header is sent again and nothing new
// is signed: a seller that loses an answer, fails or asks for more gets what it was given already.
import { SETTLEMENT_PENDING } from '@svc-pay/protocol/x402';
import { type AgentErrorCode, AgentPayError } from './agent-error.ts';
import { type ExchangeOptions, exchange, type SentHeader } from './exchange.ts';
import { isRecord, jsonFromBase64 } from './read-json.ts';
import { readReceipt, type SellerReceipt } from './read-receipt.ts';
import type { AgentRequest } from './request.ts';

export type Presented = { readonly response: Response; readonly receipt: SellerReceipt | undefined };

export type PresentOptions = ExchangeOptions & { readonly maxSends: number; readonly validBeforeMs: number };

type Setback = { readonly code: AgentErrorCode; readonly reason?: string; readonly transaction?: string | undefined };

const FIRST_PAUSE_MS = 500;
const TRY_LATER = new Set([408, 425, 429]);

/** Throws when the seller has not answered after `maxSends` sends, or the payment has expired meanwhile. */
export async function presentPayment(
  request: AgentRequest,
  header: SentHeader,
  options: PresentOptions,
): Promise<Presented> {
  const { ports, maxSends, validBeforeMs } = options;
  let setback: Setback | undefined;
  for (let sends = 0; sends < maxSends; sends += 1) {
    if (sends > 0) await ports.sleep(FIRST_PAUSE_MS * 2 ** (sends - 1), request.signal);
    if (request.signal.aborted) throw unsettled({ code: 'aborted' }, request.signal.reason);
    if (ports.nowMs() >= validBeforeMs) throw unsettled(setback ?? { code: 'payment_expired' });
    const exchanged = await exchange(request, header, options);
    if (exchanged.kind === 'redirected') throw unsettled({ code: 'redirected', reason: exchanged.to });
    if (exchanged.kind === 'lost') {
      setback = { code: 'answer_lost' };
      continue;
    }
    const { response } = exchanged;
    const receipt = readReceipt(response.headers);
    setback = setbackIn(response, receipt);
    if (setback === undefined) return { response, receipt };
    await response.body?.cancel().catch(() => undefined);
  }
  if (request.signal.aborted) throw unsettled({ code: 'aborted' }, request.signal.reason);
  throw unsettled(setback ?? { code: 'answer_lost' });
}

/** Undefined for an answer that is the caller's. */
function setbackIn({ status, headers }: Response, receipt: SellerReceipt | undefined): Setback | undefined {
  const { transaction, errorReason } = receipt ?? {};
  if (receipt?.success !== true && errorReason === SETTLEMENT_PENDING) return { code: 'payment_pending', transaction };
  if (status === 402) {
    const challenge = jsonFromBase64(headers.get('payment-required') ?? '');
    const told = isRecord(challenge) && typeof challenge['error'] === 'string' ? challenge['error'].slice(0, 200) : '';
    return { code: 'payment_refused', reason: errorReason ?? (told || '402'), transaction };
  }
  if (status >= 500 || TRY_LATER.has(status)) return { code: 'seller_failed', reason: String(status), transaction };
  return undefined;
}

const unsettled = ({ code, reason, transaction }: Setback, cause?: unknown) =>
  new AgentPayError(code, {
    moneyMoved: 'unknown',
    ...(reason !== undefined && { reason }),
    ...(transaction !== undefined && { transaction }),
    ...(cause !== undefined && { cause }),
  });
