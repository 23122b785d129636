import type { CarriedPayment, HeldLane } from '@svc-pay/core';

export type PaymentToRestore = {
  readonly held: HeldLane;
  readonly batchId: string;
  /** What became of the batch stands in the books already. */
  readonly recorded: boolean;
  readonly carried: CarriedPayment;
  readonly nowMs: number;
};
