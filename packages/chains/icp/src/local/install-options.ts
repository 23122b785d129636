import type { Principal } from '@icp-sdk/core/principal';

/** What a canister is installed with. */
export type InstallOptions = {
  /** In its text form. */
  readonly canisterId: string;
  /** WebAssembly, plain or gzipped. */
  readonly wasm: Uint8Array;
  /** Candid. */
  readonly arg: Uint8Array;
  readonly controllers?: readonly Principal[];
};
