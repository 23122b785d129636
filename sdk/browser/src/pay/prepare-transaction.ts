// Asking for a transaction to sign. May be repeated: nothing can come of one before it is signed.
import { type Acceptance, prepareResponse } from '@svc-pay/protocol';
import { SvcPayError, withAttempt } from '../error/svc-pay-error.ts';
import { pauseMs } from '../http/pause.ts';
import { haltIfAborted } from '../http/race.ts';
import { mayPass, refusalIn } from '../http/refusal.ts';
import type { PreparedTransaction } from '../wallet.ts';
import type { ClientDeps } from './parts.ts';

const MAX_TRIES = 4;

export async function prepareTransaction(
  { ports, service }: ClientDeps,
  wanted: { readonly paymentIntentId: string; readonly publicKey: string; readonly paymentRequirements: Acceptance },
  signal: AbortSignal,
): Promise<PreparedTransaction> {
  for (let round = 0; ; round += 1) {
    haltIfAborted(signal);
    const reply = await service.prepare(wanted, signal);
    haltIfAborted(signal);
    const read = reply?.status === 200 ? prepareResponse.safeParse(reply.body) : undefined;
    if (read?.success === true) {
      const { ok, transactionBase64, feePayer, error } = read.data;
      if (!ok && error !== undefined) throw new SvcPayError(error);
      if (ok && transactionBase64 !== undefined && feePayer !== undefined) return { transactionBase64, feePayer };
    }
    const refusal = reply && refusalIn(reply);
    const mayRepeat = reply === undefined || mayPass(reply.status) || refusal?.retryable === true;
    if (!mayRepeat || round + 1 >= MAX_TRIES) {
      // Nothing was signed yet, whatever the answer thinks of money.
      if (refusal !== undefined) throw withAttempt(refusal, { moneyMoved: 'no' });
      throw new SvcPayError(reply === undefined ? 'service_unreachable' : 'answer_unreadable', {
        retryable: mayRepeat,
      });
    }
    await ports.sleep(pauseMs(ports, round, reply?.retryAfterMs), signal);
  }
}
