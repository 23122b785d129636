import { cancelRefund } from './cancel-refund.ts';
import { createRefund } from './create-refund.ts';
import { getRefund } from './get-refund.ts';
import { listRefunds } from './list-refunds.ts';
import { submitRefund } from './submit-refund.ts';

export const REFUND_ROUTES = [createRefund, submitRefund, cancelRefund, getRefund, listRefunds];
