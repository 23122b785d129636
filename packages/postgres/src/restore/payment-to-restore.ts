import type { BatchOfPayment, CarriedPayment, LaneLease } from '@svc-pay/core';

export type PaymentToRestore = {
  readonly lease: LaneLease;
  readonly batch: BatchOfPayment;
  readonly carried: CarriedPayment;
  readonly nowMs: number;
};
