import type { RefundFigures } from '../checker/check-refunds.ts';

export const tellRefunds = ({ completed, reported, failed, whole, odd }: RefundFigures): string =>
  `${completed} refunds completed (${reported} reported by merchants, ${odd} of mismatched payments), ${failed} failed, ` +
  `${whole} payments given back whole`;
