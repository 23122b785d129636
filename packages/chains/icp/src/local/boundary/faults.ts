// What a test switches on between a client and the local Internet Computer.

export type QueryAsked = { readonly canister: string; readonly method: string; readonly arg: Uint8Array };

export type BoundaryFaults = {
  /** No connection is answered. */
  down: boolean;
  /** Delay of every answer. */
  delayMs: number;
  /** `forged` certificates carry a signature that fits nothing, `foreign` ones that of another root key. */
  certificates: 'true' | 'forged' | 'foreign';
  /** Certificates of calls and of what was asked by request are this much older than now. */
  certificateAgeMs: number;
  /** Everything is as old as that: the time that clients set their clock by, and the root key's word for the subnet. */
  staleTime: boolean;
  /** Calls are refused as expired, and nothing is told that a client could set its clock by. */
  expiredCalls: boolean;
  /** This many calls execute, and the connection closes instead of an answer. */
  loseReplies: number;
  /** Calls are answered by 202, and clients ask for their status. */
  asynchronous: boolean;
  /** In asynchronous mode a call counts as processing for this long. */
  processingMs: number;
  /** Replaces the true reply to a query, signed as a true one is; undefined leaves it. */
  lie: ((asked: QueryAsked, truth: Uint8Array) => Uint8Array | undefined) | undefined;
  /**
   * Replaces the true reply to a call; undefined leaves it. A boundary node that does so has no sound certificate for it: a test
   * sets `certificates` too.
   */
  lieToCalls: ((asked: QueryAsked, truth: Uint8Array) => Uint8Array | undefined) | undefined;
  /** Answers to queries carry a signature that fits nothing. */
  forgedQuerySignatures: boolean;
};

export function noFaults(): BoundaryFaults {
  return {
    down: false,
    delayMs: 0,
    certificates: 'true',
    certificateAgeMs: 0,
    staleTime: false,
    expiredCalls: false,
    loseReplies: 0,
    asynchronous: false,
    processingMs: 0,
    lie: undefined,
    lieToCalls: undefined,
    forgedQuerySignatures: false,
  };
}
