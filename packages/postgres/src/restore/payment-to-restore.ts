import type { CarriedPayment, LaneLease } from '@svc-pay/core';

export type PaymentToRestore = {
  readonly lease: LaneLease;
  readonly batchId: string;
  /** The batch's result is already recorded. */
  readonly recorded: boolean;
  readonly carried: CarriedPayment;
  readonly nowMs: number;
};
