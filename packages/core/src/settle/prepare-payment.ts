// A transaction for a wallet to sign, made for an intent that can be paid. As often as anybody likes: nothing can come of
// one before the relayer has signed it, and once it has, the intent is no longer payable.
import { type AcceptanceEcho, familyOf } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import type { Caller } from '../account/authenticate.ts';
import { sameAddress } from '../token/same-address.ts';
import { matchesEcho } from './match-acceptance.ts';
import type { SettlePorts } from './settle-ports.ts';
import type { PreparedTransaction, TransferPorts } from './transfer-ports.ts';

export type PrepareCall = {
  readonly caller: Caller;
  readonly intentId: Id<'paymentIntent'>;
  /** Left out when the intent has it. */
  readonly payer: string | null;
  readonly echo: AcceptanceEcho | null | undefined;
};

export type PreparedPayment =
  | { readonly ok: true; readonly prepared: PreparedTransaction }
  | { readonly ok: false; readonly code: ErrorCode; readonly param?: string };

type PreparePorts = Pick<SettlePorts, 'clock' | 'loadSettlement' | 'loadAcceptances'> & TransferPorts;

export async function preparePayment(ports: PreparePorts, call: PrepareCall): Promise<PreparedPayment> {
  const { caller, intentId, echo } = call;
  const read = await ports.loadSettlement(caller, intentId, null);
  if (read === undefined) return { ok: false, code: 'not_found' };
  const { intent } = read;
  const payer = call.payer ?? intent.payerPublicKey ?? intent.expectedSender;
  if (payer === null) return { ok: false, code: 'malformed_request', param: 'publicKey' };
  if (intent.status !== 'requires_payment' || intent.expiresAtMs <= ports.clock.nowMs())
    return { ok: false, code: 'intent_not_payable' };
  if (intent.expectedSender !== null && !sameAddress(intent.expectedSender, payer))
    return { ok: false, code: 'sender_mismatch' };
  const stored = await ports.loadAcceptances(caller, intentId);
  const own = stored.filter(({ network }) => familyOf(network) === 'solana');
  const [first] = own;
  if (first === undefined) return { ok: false, code: 'x402_not_available_for_token' };
  const acceptance = echo === null || echo === undefined ? first : own.find((one) => matchesEcho(one, echo));
  if (acceptance === undefined) return { ok: false, code: 'acceptance_mismatch' };
  if (echo?.asset && !sameAddress(acceptance.token.address, echo.asset)) return { ok: false, code: 'asset_mismatch' };
  return ports.prepareTransfer({ caller, intentId, acceptance, payer });
}
