// Starts a local Internet Computer: canisters in a real WebAssembly machine behind the HTTP interface, with certificates
// under a root key of its own. There is no consensus; docs/internals/local-internet-computer.md says what else is not there.
import { Principal } from '@icp-sdk/core/principal';
import { Boundary } from './boundary/boundary.ts';
import { type BoundaryFaults, noFaults } from './boundary/faults.ts';
import { serveBoundary } from './boundary/serve-boundary.ts';
import type { InstallOptions } from './install-options.ts';
import { installLedger, type LedgerHost, type LocalLedger, type LocalLedgerOptions } from './ledger/install-ledger.ts';
import type { Canister } from './vm/canister.ts';
import { CanisterNetwork } from './vm/canister-network.ts';
import { openLocalClock } from './vm/clock.ts';

export type LocalInternetComputerOptions = {
  /** Any free port if absent. */
  readonly port?: number;
  /** Milliseconds that one message of a canister may take. */
  readonly messageLimitMs?: number;
};

export type LocalInternetComputer = {
  readonly url: string;
  /** DER, as agents take it. */
  readonly rootKey: Uint8Array;
  readonly subnetId: Principal;
  readonly faults: BoundaryFaults;
  readonly nowMs: () => number;
  readonly nowNanoseconds: () => bigint;
  /** Sets the clock forward; timers that are due fire. */
  readonly advance: (ms: number) => void;
  readonly install: (options: InstallOptions) => Canister;
  /** Installs a token ledger with its archive. */
  readonly installLedger: (options?: LocalLedgerOptions) => Promise<LocalLedger>;
  readonly stop: () => Promise<void>;
};

const MESSAGE_LIMIT_MS = 20_000;

export async function startLocalInternetComputer({
  port = 0,
  messageLimitMs = MESSAGE_LIMIT_MS,
}: LocalInternetComputerOptions = {}): Promise<LocalInternetComputer> {
  const clock = openLocalClock();
  const faults = noFaults();
  const network = new CanisterNetwork(clock);
  const boundary = new Boundary(network, clock, faults);
  const server = await serveBoundary(boundary, faults, port);
  const install = ({ canisterId, wasm, arg, controllers = [] }: InstallOptions) =>
    network.install(
      {
        id: Principal.fromText(canisterId).toUint8Array(),
        wasm,
        controllers: controllers.map((controller) => controller.toUint8Array()),
        messageLimitMs,
      },
      arg,
    );
  const callAs: LedgerHost['callAs'] = (caller, canisterId, method, arg) =>
    network.call({ canister: canisterId.toUint8Array(), caller: caller.toUint8Array(), method, arg });
  return {
    url: server.url,
    rootKey: boundary.rootKey,
    subnetId: Principal.fromUint8Array(boundary.subnetId),
    faults,
    nowMs: clock.nowMs,
    nowNanoseconds: clock.nowNanoseconds,
    advance: clock.advance,
    install,
    installLedger: (options) => installLedger({ install, callAs }, options),
    stop: async () => {
      clock.stop();
      await server.stop();
    },
  };
}
