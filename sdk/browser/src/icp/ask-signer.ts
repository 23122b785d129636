import { askPatiently, type PatientQuestion } from '../ask/ask-patiently.ts';
import { fieldsOf } from '../read/fields.ts';
import type { WalletCall } from '../wallet.ts';

/** Codes of ICRC-25 in those that wallets of other chains use: permission not granted, action aborted, not supported. */
const CODES: ReadonlyMap<unknown, number> = new Map([
  [3000, 4001],
  [3001, 4001],
  [2000, 4200],
]);

/** Throws like `askPatiently`. */
export const askSigner = (call: WalletCall, question: PatientQuestion): Promise<unknown> =>
  askPatiently(call, {
    ...question,
    ask: () =>
      // A signer may throw before it returns a promise.
      Promise.resolve()
        .then(question.ask)
        .catch((problem: unknown) => {
          const code = CODES.get(fieldsOf(problem)?.['code']);
          throw code === undefined ? problem : Object.assign(new Error('refused', { cause: problem }), { code });
        }),
  });
