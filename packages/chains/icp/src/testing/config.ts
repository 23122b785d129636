/** A ledger's WebAssembly that the conformance suite runs against too. */
export const givenLedgerFile = process.env['SVC_ICRC_LEDGER_WASM'];
