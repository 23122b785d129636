import type { SellerOptions, SellerProblem } from './seller-options.ts';

export type TellProblem = (problem: SellerProblem) => void;

/** A log that fails, at once or later, changes nothing about a payment. */
export function problemTeller({ onProblem }: Pick<SellerOptions, 'onProblem'>): TellProblem {
  return (problem) => {
    new Promise((resolve) => resolve(onProblem?.(problem))).catch(() => {});
  };
}
