export type { BoundaryFaults, QueryAsked } from './boundary/faults.ts';
export type { InstallOptions } from './install-options.ts';
export {
  CKUSDC_LEDGER,
  DuplicateTransfer,
  type LocalLedger,
  type LocalLedgerOptions,
  type LocalTransfer,
} from './ledger/install-ledger.ts';
export type { CandidAccount } from './ledger/ledger-candid.ts';
export { accountNamed, identityNamed, openAgent, openLedgerClient } from './ledger/ledger-client.ts';
export { ledgerWasm as compileLedger } from './ledger/ledger-wasm.ts';
export { openSigner } from './open-signer.ts';
export {
  type LocalInternetComputer,
  type LocalInternetComputerOptions,
  startLocalInternetComputer,
} from './start-local-internet-computer.ts';
