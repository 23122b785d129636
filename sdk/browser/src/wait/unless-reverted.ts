import { SvcPayError } from '../error/svc-pay-error.ts';
import { childOf } from '../http/race.ts';

/**
 * Waits for the service's word of a transaction that the payer sent. Only the chain can tell one that moved nothing, which no
 * service hears of: then it throws `transaction_reverted`.
 */
export async function unlessReverted<Result>(
  signal: AbortSignal,
  reverted: (signal: AbortSignal) => Promise<boolean>,
  wait: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { controller, release } = childOf(signal);
  let hasReverted = false;
  const watch = async () => {
    hasReverted = await reverted(controller.signal);
    if (hasReverted) controller.abort();
  };
  void watch();
  try {
    return await wait(controller.signal);
  } catch (problem) {
    if (hasReverted) throw new SvcPayError('transaction_reverted', { cause: problem });
    throw problem;
  } finally {
    release();
    controller.abort();
  }
}
