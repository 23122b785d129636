// Settles a signed transaction, from a header or to be relayed: both take one path and get the same answer.
import { type AcceptanceEcho, type DecodedHeader, familyOf, parseNetwork } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { matchesEcho } from '../intent/match-acceptance.ts';
import { hasPriceEnded, type StoredAcceptance } from '../intent/stored-acceptance.ts';
import { claimKey } from '../payment/claim-key.ts';
import { isBelowMinimum } from '../pricing/below-minimum.ts';
import { sameAddress } from '../token/address.ts';
import { settleAnswer } from './settle-answer.ts';
import {
  answer,
  claimSubmitted,
  isTaken,
  outcomeOf,
  refuseSubmitted,
  reload,
  type SettleCommand,
  type SettleResult,
  settleSubmitted,
} from './settle-flow.ts';
import type { SettlePorts } from './settle-ports.ts';
import type { SettlementRead } from './settlement-read.ts';
import type { SubmittedTransfer, TransferPorts } from './transfer-ports.ts';

export type TransferCall = SettleCommand & {
  /** Base64 of the transaction with the payer's signature. */
  readonly transaction: string;
  /** Scheme and network of its header; null when it was submitted without one. */
  readonly header: { readonly scheme: string; readonly network: string } | null;
  readonly echo: AcceptanceEcho | null | undefined;
};

/** Expected validity in seconds; the exact limit is the chain's block height. */
const LIFE_SECONDS = 120;

export async function settleTransfer(ports: SettlePorts & TransferPorts, call: TransferCall): Promise<SettleResult> {
  const submitted = ports.readTransfer(call.transaction) ?? null;
  return settleSubmitted(ports, call, submitted, (read) => settleNewTransfer(ports, call, submitted, read));
}

async function settleNewTransfer(
  ports: SettlePorts & TransferPorts,
  call: TransferCall,
  submitted: SubmittedTransfer | null,
  read: SettlementRead,
): Promise<SettleResult> {
  const { caller, intentId, transaction } = call;
  const refuse = (code: ErrorCode, detail?: string) => refuseSubmitted(ports, call, read, submitted, code, detail);
  if (submitted === null) return refuse('invalid_payment_header', 'transaction');
  const stored = await ports.loadAcceptances(caller, intentId);
  const meant = acceptancesFor(stored, call);
  if (!meant.ok) return refuse(meant.code);
  const { intent } = read;
  if (intent.status !== 'requires_payment' || intent.expiresAtMs <= ports.clock.nowMs()) {
    return isTaken(read) ? answer(settleAnswer(read)) : refuse('intent_not_payable');
  }
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, submitted.payer)) {
    return refuse('sender_mismatch');
  }
  const acceptances = meant.acceptances.filter((acceptance) => !hasPriceEnded(acceptance, ports.clock.nowMs()));
  if (acceptances.length === 0) return refuse('intent_not_payable', 'price');
  const verdict = await ports.verifyTransfer({ caller, intentId, acceptances, transaction });
  if (!verdict.ok) {
    // Another call claimed the transaction during the chain read, so the refusal may be caused by it: the first result
    // stands.
    const now = await reload(ports, call, submitted);
    if (now.own !== null) return outcomeOf(ports, call, submitted, now);
    if (verdict.code === 'chain_unavailable') return { ok: false, code: verdict.code };
    return refuse(verdict.code, verdict.detail);
  }
  const { acceptance, transfer, bytes } = verdict;
  if (isBelowMinimum(acceptance.amount, acceptance.rate, acceptance.minimumUsdMicros))
    return refuse('x402_minimum_amount_not_met');
  const { network, token } = acceptance;
  const { payer, messageHash } = submitted;
  const nowSeconds = Math.floor(ports.clock.nowMs() / 1_000);
  return claimSubmitted(ports, call, submitted, {
    claimKey: claimKey({ network, asset: token.address, payer, uniquePart: messageHash }),
    kind: 'solana_transaction',
    byContract: false,
    acceptance,
    authorization: {
      from: payer,
      to: acceptance.payTo,
      value: acceptance.amount.toString(),
      validAfter: '0',
      validBefore: String(nowSeconds + LIFE_SECONDS),
      nonce: `0x${messageHash}`,
    },
    signature: bytes,
    transfer,
  });
}

type Meant =
  | { readonly ok: true; readonly acceptances: readonly StoredAcceptance[] }
  | { readonly ok: false; readonly code: ErrorCode };

/** Acceptances that the transaction may pay, by its header and the echoed acceptance. */
function acceptancesFor(stored: readonly StoredAcceptance[], { header, echo }: TransferCall): Meant {
  const own = stored.filter(({ network }) => familyOf(network) === 'solana');
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

/** Undefined when the header carries no transaction. */
export function transferIn(decoded: DecodedHeader): Pick<TransferCall, 'transaction' | 'header'> | undefined {
  if (!decoded.ok || !('transaction' in decoded.header.payload)) return undefined;
  const { scheme, network, payload } = decoded.header;
  return { transaction: payload.transaction, header: { scheme, network } };
}
