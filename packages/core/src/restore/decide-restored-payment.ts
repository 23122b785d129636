// Decides what a restored database believes of one payment that the chain has settled.
import type { Id } from '@svc-pay/protocol/ids';
import type { Mode } from '../account/mode.ts';
import { SETTLEMENT_STATUS, type SettlementStatus, UNPAID_SETTLEMENT } from '../settlement/settlement-transitions.ts';
import type { CarriedPayment } from './on-chain-transaction.ts';

/**
 * `known`: nothing was missing. `bound`: the payment existed without its batch. `resumed`: only the intent existed.
 * `adopted`: nothing existed, and a stand-in was made from chain data. `refused`: the database contradicts the chain.
 */
export type RestoredPaymentOutcome = 'known' | 'bound' | 'resumed' | 'adopted' | 'refused';

export type StoredSettlement = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly paymentId: Id<'payment'>;
  readonly status: SettlementStatus;
  readonly batchId: string | null;
  readonly settledAtomic: bigint;
  /** A stranded transfer is recorded for the payment's claim. */
  readonly stranded: boolean;
};

export type IntentOwner = {
  readonly accountId: Id<'account'>;
  readonly mode: Mode;
  readonly intentId: Id<'paymentIntent'>;
  readonly standIn: boolean;
};

export type StoredPaymentState = {
  /** The claim of the payment's authorization. Without a settlement it is an up-to authorization not yet settled. */
  readonly claim:
    | { readonly accountId: string; readonly intentId: string; readonly settlement: StoredSettlement | undefined }
    | undefined;
  /** The intent that has the payment's intent code. */
  readonly owner: IntentOwner | undefined;
};

/** The batch that carries the payment. `recorded`: its result is in the database already. */
export type BatchOfPayment = { readonly id: string; readonly recorded: boolean };

export type RestoredPaymentStep =
  | { readonly step: 'known' }
  /** The settlement becomes `batched` in the batch, whichever batch it was in before. */
  | { readonly step: 'bind'; readonly settlement: StoredSettlement }
  /** Next: `resumePayment`. */
  | { readonly step: 'resume'; readonly owner: IntentOwner }
  /** Next: `adoptPayment`. */
  | { readonly step: 'adopt' }
  | { readonly step: 'refuse'; readonly reason: string };

/** Held payments are concluded by the settlement service's watcher. */
const LOOKED_AFTER = [SETTLEMENT_STATUS.completed, SETTLEMENT_STATUS.held];

const refuse = (reason: string): RestoredPaymentStep => ({ step: 'refuse', reason });

export function decideRestoredPayment(
  carried: Pick<CarriedPayment, 'settledAtomic'>,
  batch: BatchOfPayment,
  { claim, owner }: StoredPaymentState,
): RestoredPaymentStep {
  if (claim !== undefined && claim.intentId !== owner?.intentId)
    return refuse('its authorization is claimed for another intent');
  const settlement = claim?.settlement;
  if (batch.recorded) {
    const lookedAfter = LOOKED_AFTER.some((status) => status === settlement?.status);
    return lookedAfter ? { step: 'known' } : refuse('its batch is recorded without it');
  }
  if (settlement !== undefined) return decideBinding(carried, batch, settlement);
  return owner === undefined ? { step: 'adopt' } : { step: 'resume', owner };
}

function decideBinding(
  { settledAtomic }: Pick<CarriedPayment, 'settledAtomic'>,
  batch: BatchOfPayment,
  settlement: StoredSettlement,
): RestoredPaymentStep {
  const { status } = settlement;
  if (settlement.settledAtomic !== settledAtomic)
    return refuse(`the chain settled ${settledAtomic}, its order was ${settlement.settledAtomic}`);
  if (status === SETTLEMENT_STATUS.completed) return { step: 'known' };
  if (UNPAID_SETTLEMENT.some((one) => one === status)) return refuse(`the books call its payment ${status}`);
  if (settlement.stranded) return refuse('its money is booked as stranded');
  if (status === SETTLEMENT_STATUS.batched && settlement.batchId === batch.id) return { step: 'known' };
  return { step: 'bind', settlement };
}
