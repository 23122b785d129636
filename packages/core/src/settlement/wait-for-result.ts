import type { StoredPayment } from '../payment/payment.ts';
import type { HeaderContext } from './payment-family.ts';
import type { SettlePorts } from './settle-ports.ts';

export type PaymentToAwait = Pick<StoredPayment, 'id' | 'network'>;

export type WaitPorts = Pick<SettlePorts, 'clock' | 'settleWaitMs' | 'wakeLanes' | 'awaitResult'>;

/** How a call looks at its payment again. */
export type Reading<Read> = {
  /** `mayHaveResult`: the payment named by `paymentId` may have its result. Absent: it is not known to have one. */
  readonly reload: (mayHaveResult?: PaymentToAwait['id']) => Promise<Read>;
  /** Undefined once the payment has its result. */
  readonly pendingIn: (read: Read) => PaymentToAwait | undefined;
};

/**
 * Wakes the lanes of a pending payment and waits for its result, at most `settleWaitMs`. Returns the last read. `first`
 * is undefined for a payment that this call has just claimed: it is pending, so no read comes before the wait.
 */
export async function waitForResult<Read>(
  ports: WaitPorts,
  { caller, intentId }: HeaderContext,
  payment: PaymentToAwait,
  { reload, pendingIn }: Reading<Read>,
  first: Read | undefined,
): Promise<Read> {
  ports.wakeLanes(payment.network);
  const deadlineMs = ports.clock.nowMs() + ports.settleWaitMs;
  let read = first;
  let paymentId = payment.id;
  for (;;) {
    const leftMs = deadlineMs - ports.clock.nowMs();
    if (leftMs <= 0) return read ?? reload();
    const told = await ports.awaitResult({ caller, intentId, paymentId }, leftMs);
    read = await reload(told ? paymentId : undefined);
    const pending = pendingIn(read);
    if (!told || pending === undefined) return read;
    paymentId = pending.id;
  }
}
