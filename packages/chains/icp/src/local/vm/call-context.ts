// What is owed to whoever called a canister: one answer, from the first message of the call or from a later callback.
import type { Canister } from './canister.ts';
import type { CanisterAnswer, OutgoingCall } from './message.ts';

export type CallContext = {
  readonly canister: Canister;
  readonly caller: Uint8Array;
  readonly method: string;
  /** Hands the answer to the caller; undefined where nobody waits, as after a timer. */
  readonly answer: ((answer: CanisterAnswer) => void) | undefined;
  answered: boolean;
  /** Calls to other canisters whose answers have not been processed. */
  outstanding: number;
};

export type Work =
  | { readonly kind: 'call'; readonly context: CallContext; readonly arg: Uint8Array }
  | {
      readonly kind: 'answer';
      readonly context: CallContext;
      readonly call: OutgoingCall;
      readonly answer: CanisterAnswer;
    }
  | { readonly kind: 'timer'; readonly canister: Canister };

export function deliver(context: CallContext, answer: CanisterAnswer): void {
  if (context.answered) return;
  context.answered = true;
  context.answer?.(answer);
}
