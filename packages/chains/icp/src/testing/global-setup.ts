// Compiles the canisters once, before test files run at the same time.
import { probeWasm } from './probe-canister.ts';

export async function setup(): Promise<void> {
  await probeWasm();
}
