// Prepares what a wallet signs for a payable intent: a transaction or a text. May be called any number of times:
// neither has an effect before the relayer signs, and after that the intent is no longer payable.
import type { AcceptanceEcho } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import { judgeWallet } from '../budget/judge-wallet.ts';
import type { Intent } from '../intent/intent.ts';
import { isPayable } from '../intent/is-payable.ts';
import { matchesEcho } from '../intent/match-acceptance.ts';
import { familyFor } from '../intent/offer-family.ts';
import { hasPriceEnded, type PaidTerms } from '../intent/stored-acceptance.ts';
import { normalizeAddress, sameAddress } from '../token/address.ts';
import type {
  PreparedTransferAnswer,
  SignableAnswer,
  TransactionPayments,
  TransferToPrepare,
} from './payment-family.ts';
import type { SettlePorts } from './settle-ports.ts';

export type PrepareCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  /** May be null when the intent names its payer. */
  readonly payer: string | null;
  readonly echo: AcceptanceEcho | null | undefined;
};

export type Refusal = { readonly ok: false; readonly code: ErrorCode; readonly param?: string };

export type PreparedPayment = Extract<PreparedTransferAnswer, { ok: true }> | Refusal;
export type SignablePayment = Extract<SignableAnswer, { ok: true }> | Refusal;

type PreparePorts = Pick<
  SettlePorts,
  'clock' | 'families' | 'isPayerDenied' | 'loadSettlement' | 'loadAcceptances' | 'loadWalletBudget'
>;

export async function preparePayment(ports: PreparePorts, call: PrepareCall): Promise<PreparedPayment> {
  const payable = await findPayable(ports, call);
  return payable.ok ? payable.transactions.prepare(payable.wanted) : payable;
}

export async function signablePayment(ports: PreparePorts, call: PrepareCall): Promise<SignablePayment> {
  const payable = await findPayable(ports, call);
  return payable.ok ? payable.transactions.prepareText(payable.wanted) : payable;
}

export type Payable = {
  readonly ok: true;
  readonly intent: Intent;
  readonly transactions: TransactionPayments;
  readonly wanted: TransferToPrepare;
};

async function findPayable(ports: PreparePorts, call: PrepareCall): Promise<Payable | Refusal> {
  const found = await findPreparable(ports, call);
  if (!found.ok) return found;
  const { caller, acceptance, payer } = found.wanted;
  const party = { accountId: caller.accountId, payer: normalizeAddress(payer) };
  if (judgeWallet(false, await ports.loadWalletBudget(acceptance.network, party)) === 'spent')
    return { ok: false, code: 'gas_budget_spent' };
  return found;
}

/** What a transaction would pay, whoever pays its fee. */
export async function findPreparable(
  ports: Omit<PreparePorts, 'loadWalletBudget' | 'loadAcceptances'> & {
    readonly loadAcceptances: (...asked: Parameters<PreparePorts['loadAcceptances']>) => Promise<readonly PaidTerms[]>;
  },
  call: PrepareCall,
): Promise<Payable | Refusal> {
  const { caller, intentId, echo } = call;
  const read = await ports.loadSettlement(caller, intentId, null);
  if (read === undefined) return { ok: false, code: 'not_found' };
  const { intent } = read;
  const payer = call.payer ?? intent.payerPublicKey ?? intent.expectedSender;
  if (payer === null) return { ok: false, code: 'malformed_request', param: 'publicKey' };
  if (ports.isPayerDenied(payer)) return { ok: false, code: 'payer_denied' };
  if (!isPayable(intent, ports.clock.nowMs())) return { ok: false, code: 'intent_not_payable' };
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, payer))
    return { ok: false, code: 'sender_mismatch' };
  const stored = await ports.loadAcceptances(caller, intentId);
  const preparable = stored.flatMap((acceptance) => {
    const transactions = familyFor(ports.families, acceptance.network)?.transactions;
    return transactions === undefined ? [] : [{ acceptance, transactions }];
  });
  if (preparable.length === 0) return { ok: false, code: 'x402_not_available_for_token' };
  const meant = preparable.find((one) => echo === null || echo === undefined || matchesEcho(one.acceptance, echo));
  if (meant === undefined) return { ok: false, code: 'acceptance_mismatch' };
  const { acceptance, transactions } = meant;
  if (hasPriceEnded(acceptance, ports.clock.nowMs())) return { ok: false, code: 'intent_not_payable' };
  if (echo?.asset && !sameAddress(acceptance.token.address, echo.asset)) return { ok: false, code: 'asset_mismatch' };
  return { ok: true, intent, transactions, wanted: { caller, intentId, acceptance, payer } };
}
