// What a canister is given to run and what comes of it.

export type CanisterAnswer =
  | { readonly kind: 'reply'; readonly reply: Uint8Array }
  | { readonly kind: 'reject'; readonly code: number; readonly message: string; readonly errorCode: string };

/** How the Internet Computer numbers what went wrong. */
export const REJECT = { destinationInvalid: 3, canisterReject: 4, canisterError: 5 } as const;

export const rejected = (code: number, errorCode: string, message: string): CanisterAnswer => ({
  kind: 'reject',
  code,
  errorCode,
  message,
});

/** A function of the canister's table with the value that it wants back. */
type Callback = { readonly index: number; readonly environment: number };

export type OutgoingCall = {
  readonly callee: Uint8Array;
  readonly method: string;
  readonly onReply: Callback;
  readonly onReject: Callback;
  onCleanup: Callback | undefined;
  readonly parts: Uint8Array[];
};

export type MessageKind = 'init' | 'update' | 'query' | 'inspect' | 'callback' | 'cleanup' | 'timer';

export type Message = {
  readonly kind: MessageKind;
  /** An export's name, or a callback. */
  readonly entry: string | Callback;
  readonly caller: Uint8Array;
  readonly method: string;
  readonly arg: Uint8Array;
  /** Zero for a reply. */
  readonly rejectCode: number;
  readonly rejectMessage: string;
  /** Whether the call that this message belongs to has its answer already. */
  readonly answered: boolean;
  /** Makes the certificate that a query may hand out; absent in replicated execution. */
  readonly dataCertificate: (() => Uint8Array) | undefined;
};

/** What a message wants to change outside of its own memory; nothing of it happens if the message traps. */
export type Effects = {
  answer: CanisterAnswer | undefined;
  readonly calls: OutgoingCall[];
  certifiedData: Uint8Array | undefined;
  /** Nanoseconds; 0 clears the timer. */
  timer: bigint | undefined;
  accepted: boolean;
};

export type Outcome =
  | { readonly kind: 'done'; readonly effects: Effects }
  | { readonly kind: 'trapped'; readonly message: string };
