import type { BatchOfPayment, LaneLease, RestoredRows } from '@svc-pay/core';

export type PaymentToRestore = {
  readonly lease: LaneLease;
  readonly batch: BatchOfPayment;
  readonly carried: RestoredRows['carried'];
  readonly nowMs: number;
};
