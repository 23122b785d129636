import { askPatiently, type PatientQuestion } from '../ask/ask-patiently.ts';
import type { WalletCall } from '../wallet.ts';
import type { Eip1193Provider } from './eip1193.ts';

export type Question = Pick<PatientQuestion, 'refusedAs'> & {
  readonly method: string;
  readonly params?: readonly unknown[];
};

/** Throws SvcPayError when refused, closed, aborted or out of time; the wallet's own error when it is anything else. */
export function askWallet(provider: Eip1193Provider, call: WalletCall, question: Question): Promise<unknown> {
  const { method, params, refusedAs } = question;
  return askPatiently(call, {
    name: method,
    refusedAs,
    ask: () => provider.request({ method, ...(params && { params }) }),
    whenClosed(close) {
      provider.on?.('disconnect', close);
      return () => provider.removeListener?.('disconnect', close);
    },
  });
}
