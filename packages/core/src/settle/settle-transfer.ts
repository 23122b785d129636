// Settling by a signed transaction, whether it came in a header or to be relayed: one path, and the same transaction is
// answered alike on both.
import { type AcceptanceEcho, type DecodedHeader, familyOf, parseNetwork } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { isBelowMinimum } from '../pricing/below-minimum.ts';
import { sameAddress } from '../token/same-address.ts';
import { claimKey } from './claim-key.ts';
import { matchesEcho } from './match-acceptance.ts';
import { settleAnswer } from './settle-answer.ts';
import type { SettlePorts } from './settle-ports.ts';
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
import type { SettlementRead } from './settlement-read.ts';
import type { StoredAcceptance } from './stored-acceptance.ts';
import type { SentTransfer, TransferPorts } from './transfer-ports.ts';

export type TransferCall = SentCall & {
  /** Base64 of the transaction with the payer's signature. */
  readonly transaction: string;
  /** What its header says; null when it was sent without one. */
  readonly header: { readonly scheme: string; readonly network: string } | null;
  readonly echo: AcceptanceEcho | null | undefined;
};

/** Seconds for which it may be expected to be good; what ends it is the height of the chain. */
const LIFE_SECONDS = 120;

export async function settleTransfer(ports: SettlePorts & TransferPorts, call: TransferCall): Promise<Settled> {
  const sent = ports.readTransfer(call.transaction) ?? null;
  return settleSent(ports, call, sent, (read) => settleNewTransfer(ports, call, sent, read));
}

async function settleNewTransfer(
  ports: SettlePorts & TransferPorts,
  call: TransferCall,
  sent: SentTransfer | null,
  read: SettlementRead,
): Promise<Settled> {
  const { caller, intentId, transaction } = call;
  const refuse = (code: ErrorCode, detail?: string) => refuseSent(ports, call, read, sent, code, detail);
  if (sent === null) return refuse('invalid_payment_header', 'transaction');
  const [stored, merchant] = await Promise.all([ports.loadAcceptances(caller, intentId), ports.loadMerchant(caller)]);
  const meant = acceptancesFor(stored, call);
  if (!meant.ok) return refuse(meant.code);
  const { intent } = read;
  if (intent.status !== 'requires_payment' || intent.expiresAtMs <= ports.clock.nowMs()) {
    return isTaken(read) ? answer(settleAnswer(read)) : refuse('intent_not_payable');
  }
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, sent.payer)) {
    return refuse('sender_mismatch');
  }
  const { acceptances } = meant;
  const verdict = await ports.verifyTransfer({ caller, intentId, acceptances, transaction });
  if (!verdict.ok) {
    // Claimed while the chain was asked, which then speaks of what the first one did: the first result stands.
    const now = await reload(ports, call, sent);
    if (now.own !== null) return outcomeOf(ports, call, sent, now);
    if (verdict.code === 'chain_unavailable') return { ok: false, code: verdict.code };
    return refuse(verdict.code, verdict.detail);
  }
  const { acceptance, transfer, bytes } = verdict;
  if (isBelowMinimum(acceptance.amount, acceptance.rate, merchant.minimumUsdMicros))
    return refuse('x402_minimum_amount_not_met');
  const { network, token } = acceptance;
  const { payer, messageHash } = sent;
  const nowSeconds = Math.floor(ports.clock.nowMs() / 1_000);
  return claimSent(ports, call, sent, {
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

/** Those that the transaction may be for, by what was said beside it. */
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
