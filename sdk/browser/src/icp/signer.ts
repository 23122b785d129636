// What pays on the Internet Computer: a signer that the page connected, in the shape of ICRC-27 and ICRC-49.

/** An account of the payer, as ICRC-27 tells it. */
export type SignerAccount = {
  /** Text of a principal. */
  readonly owner: string;
  /** 32 bytes in base64; absent for the default subaccount. */
  readonly subaccount?: string | null;
};

/** Parameters of `icrc49_call_canister`. */
export type CanisterCall = {
  /** Text of a principal, as `sender` is. */
  readonly canisterId: string;
  readonly sender: string;
  readonly method: string;
  /** Base64. */
  readonly arg: string;
};

/** Result of `icrc49_call_canister`: both are CBOR in base64. */
export type CanisterCallResult = {
  /** The call that was made. */
  readonly contentMap: string;
  /** What came of it, signed by the Internet Computer. */
  readonly certificate: string;
};

/**
 * An error with the `code` 3000 or 3001 (ICRC-25) or 4001 is a person's refusal. Any other error after `callCanister` leaves open
 * whether the call was made.
 */
export type IcpSigner = {
  readonly accounts: () => Promise<readonly SignerAccount[]>;
  readonly callCanister: (call: CanisterCall) => Promise<CanisterCallResult>;
};
