// Compiles the ledger once, before a world is started that waits for it: in a new checkout that takes longer than a start.
import { ledgerWasm } from '../local/ledger/ledger-wasm.ts';

export async function setup(): Promise<void> {
  await ledgerWasm();
}
