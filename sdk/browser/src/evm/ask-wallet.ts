// A question to the wallet. A wallet may answer after a person has thought, never, or not at all any more; whoever asks
// always gets an answer or a typed error.
import type { SdkErrorCode } from '../error/sentences.ts';
import { SvcPayError } from '../error/svc-pay-error.ts';
import { childOf, haltIfAborted, untilAborted } from '../http/race.ts';
import type { WalletCall } from '../wallet.ts';
import type { Eip1193Provider } from './eip1193.ts';
import { isClosed, isRefusal } from './wallet-problem.ts';

export type Question = {
  readonly method: string;
  readonly params?: readonly unknown[];
  /** What it means when the person says no. */
  readonly refusedAs: SdkErrorCode;
};

/** Throws SvcPayError when refused, closed, aborted or out of time; the wallet's own error when it is anything else. */
export async function askWallet(provider: Eip1193Provider, call: WalletCall, question: Question): Promise<unknown> {
  const { method, params, refusedAs } = question;
  haltIfAborted(call.signal);
  const { controller, release } = childOf(call.signal);
  let ended: 'timeout' | 'closed' | undefined;
  const endAs = (how: 'timeout' | 'closed') => {
    ended ??= how;
    controller.abort();
  };
  const onDisconnect = () => endAs('closed');
  provider.on?.('disconnect', onDisconnect);
  void call.ports.sleep(call.walletTimeoutMs, controller.signal).then(() => endAs('timeout'));
  try {
    const answer = await untilAborted(
      provider.request({ method, ...(params && { params }) }).then((value) => ({ value })),
      controller.signal,
    );
    haltIfAborted(call.signal);
    if (answer !== undefined) return answer.value;
    throw new SvcPayError(ended === 'closed' ? 'wallet_closed' : 'wallet_timeout', { reason: method });
  } catch (problem) {
    haltIfAborted(call.signal);
    if (problem instanceof SvcPayError) throw problem;
    if (isRefusal(problem)) throw new SvcPayError(refusedAs, { cause: problem });
    if (isClosed(problem)) throw new SvcPayError('wallet_closed', { cause: problem });
    throw problem;
  } finally {
    provider.removeListener?.('disconnect', onDisconnect);
    release();
    controller.abort();
  }
}
