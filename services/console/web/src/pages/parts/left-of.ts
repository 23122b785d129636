import type { Payment } from '@svc-pay/protocol';
import { rest } from '../../format/money.ts';

/** What is left to refund of a payment. */
export const leftOf = (payment: Payment): string => rest(payment.paidAmount ?? payment.amount, payment.refundedAmount);
