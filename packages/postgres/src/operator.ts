// Statements of the `svc` command: one file per use case, one transaction each.
export { type AccountLimits, readAccountLimits, setAccountLimits } from './account/account-limits.ts';
export { createAccount, type NewAccount } from './account/create-account.ts';
export { type CreatedKey, createKey } from './account/create-key.ts';
export { findSealedKeys, type SealedKey } from './account/find-sealed-keys.ts';
export { type AccountRow, listAccounts } from './account/list-accounts.ts';
export { type KeyRow, listKeys } from './account/list-keys.ts';
export { type RevokedKey, revokeKey } from './account/revoke-key.ts';
export { type RolledKey, rollKey } from './account/roll-key.ts';
export { type SigningSwitch, signWithKey } from './account/sign-with-key.ts';
export type { Operation } from './audit/operation.ts';
export { type SealedChain, sealAuditChains } from './audit/seal-audit-chains.ts';
export { type AuditChainFault, type VerifiedChain, verifyAuditChains } from './audit/verify-audit-chains.ts';
export { type DatabaseFacts, DURABILITY_SETTINGS, inspectDatabase } from './database/inspect-database.ts';
export { type HeldTransfer, type ResolvedHeld, resolveHeld } from './direct/resolve-held.ts';
export { changeRelayer } from './lane/change-relayer.ts';
export { withBooks } from './ledger/open-books.ts';
export { listProcessors, listRelayers } from './ledger/read-batches.ts';
export { type ActivatedPayout, activatePayout } from './payout/activate-payout.ts';
export { loadActivationFacts } from './payout/activation-facts.ts';
export { disablePayout } from './payout/disable-payout.ts';
export { listPayouts } from './payout/list-payouts.ts';
export { mirrorPayout } from './payout/mirror-payout.ts';
export {
  type DirectReport,
  type ReportedCursor,
  type ReportedDirectPayout,
  reportDirect,
} from './payout/report-direct.ts';
export { setPayout } from './payout/set-payout.ts';
export { type ErasedPayer, erasePayer } from './privacy/erase-payer.ts';
export { exportPayer } from './privacy/export-payer.ts';
export { PAYER_TABLES, type PayerRows, type PayerTable } from './privacy/find-payer-rows.ts';
export {
  type ChangedTokens,
  disableTokens,
  enableTokens,
  listEnabledTokens,
  type TokenChange,
} from './token/account-tokens.ts';
