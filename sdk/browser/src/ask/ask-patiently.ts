// A question to a wallet, whatever its chain. A wallet may answer after a person has thought, never, or not at all any
// more; whoever asks always gets an answer or a typed error.
import type { SdkErrorCode } from '../error/sentences.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { childOf, haltIfAborted, untilAborted } from '../http/race.ts';
import type { WalletCall } from '../wallet.ts';
import { isClosed, isRefusal } from './wallet-problem.ts';

export type PatientQuestion = {
  /** Told as the reason when no answer comes. */
  readonly name: string;
  readonly ask: () => Promise<unknown>;
  /** What it means when the person says no. */
  readonly refusedAs: SdkErrorCode;
  /** Calls back when the wallet goes away; returns how to stop listening. */
  readonly whenClosed?: (close: () => void) => () => void;
};

/** Throws SvcPayError when refused, closed, aborted or out of time; the wallet's own error when it is anything else. */
export async function askPatiently(call: WalletCall, question: PatientQuestion): Promise<unknown> {
  const { name, ask, refusedAs, whenClosed } = question;
  haltIfAborted(call.signal);
  const { controller, release } = childOf(call.signal);
  let ended: 'timeout' | 'closed' | undefined;
  const endAs = (how: 'timeout' | 'closed') => {
    ended ??= how;
    controller.abort();
  };
  const stopListening = whenClosed?.(() => endAs('closed'));
  void call.ports.sleep(call.walletTimeoutMs, controller.signal).then(() => endAs('timeout'));
  try {
    const answer = await untilAborted(
      ask().then((value) => ({ value })),
      controller.signal,
    );
    haltIfAborted(call.signal);
    if (answer !== undefined) return answer.value;
    throw new SvcPayError(ended === 'closed' ? 'wallet_closed' : 'wallet_timeout', { reason: name });
  } catch (problem) {
    haltIfAborted(call.signal);
    if (problem instanceof SvcPayError) throw problem;
    if (isRefusal(problem)) throw new SvcPayError(refusedAs, { cause: problem });
    if (isClosed(problem)) throw new SvcPayError('wallet_closed', { cause: problem });
    throw problem;
  } finally {
    stopListening?.();
    release();
    controller.abort();
  }
}
