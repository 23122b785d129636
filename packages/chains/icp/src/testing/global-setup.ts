// Compiles the canisters once, before test files run at the same time.
import { ledgerWasm } from '../local/ledger/ledger-wasm.ts';
import { probeWasm } from './probe-canister.ts';

export async function setup(): Promise<void> {
  await probeWasm();
  await ledgerWasm();
}
