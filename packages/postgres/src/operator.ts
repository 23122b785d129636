// Statements of the `svc` command: one file per use case, one transaction each.
export { addDenied, type DeniedRow, listDenied, type NewDenial, removeDenied } from './abuse/change-denied.ts';
export { type AbuseTotal, type GasLossTotal, readAbuse, readGasLosses } from './abuse/read-abuse.ts';
export { createAccount, type NewAccount } from './account/create-account.ts';
export { type AccountRow, listAccounts } from './account/list-accounts.ts';
export { type ResealedSecrets, resealSecrets } from './account/reseal-secrets.ts';
export type { RevokedKey } from './account/revoke-key.ts';
export { countSealed, SEALED_COLUMNS, type SealedCount } from './account/sealed-columns.ts';
export { setMismatchPolicy } from './account/set-mismatch-policy.ts';
export { type AdminActions, createAdminActions, type MadeKey } from './admin-actions.ts';
export { exportAuditHeads, type FoundExportFault, verifyAuditExports } from './audit/audit-exports.ts';
export type { Operation } from './audit/operation.ts';
export { type SealedChain, sealAuditChains } from './audit/seal-audit-chains.ts';
export { type AuditChainFault, type VerifiedChain, verifyAuditChains } from './audit/verify-audit-chains.ts';
export { createInvitation, createRecovery } from './console/invitations.ts';
export { disablePerson, listPersons, setOperatorView } from './console/people.ts';
export { type DatabaseFacts, DURABILITY_SETTINGS, inspectDatabase } from './database/inspect-database.ts';
export { inspectRole, type RoleFacts } from './database/inspect-role.ts';
export { loadInstallationId } from './database/load-installation.ts';
export { type HeldTransfer, type ResolvedHeld, resolveHeld } from './direct/resolve-held.ts';
export { createExportStore } from './export/export-store.ts';
export { loadTokenLedger, type ReadTokenLedger, reportTokenLedgers } from './icrc/report-token-ledgers.ts';
export { type ResetOutcome, resetTokenLedger } from './icrc/reset-token-ledger.ts';
export { changeRelayer } from './lane/change-relayer.ts';
export { withBooks } from './ledger/open-books.ts';
export { listProcessors, listRelayers } from './ledger/read-batches.ts';
export { type AccountCost, readCosts } from './ledger/read-costs.ts';
export { type DeclaredKey, declareMetadataKeys, listMetadataKeys } from './listing/metadata-keys.ts';
export {
  abortMove,
  type MoveDifference,
  type MovedAccount,
  type MoveRefused,
  moveAccount,
} from './move/move-account.ts';
export type { OpenMoveWork } from './move/open-work.ts';
export { beginLedgerCheck, endLedgerCheck, type LedgerCheckResult } from './operator/ledger-checks.ts';
export {
  createOperator,
  disableOperator,
  findOperator,
  findOperatorsUnderOthers,
  listOperators,
  rollOperator,
} from './operator/operators.ts';
export { type RehashedKeys, rehashKeys } from './operator/rehash-keys.ts';
export { rebuildOverview } from './overview/rebuild-overview.ts';
export { type ActivatedPayout, activatePayout } from './payout/activate-payout.ts';
export { loadActivationFacts } from './payout/activation-facts.ts';
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
  type ArchiveManifest,
  countLines,
  listArchives,
  readLines,
  readManifest,
} from './retention/archive-files.ts';
export { listRetiredPartitions, type RetiredPartition } from './retention/list-retired.ts';
export { type LockRoom, readLockRoom } from './retention/read-lock-room.ts';
export { reportRetention } from './retention/report-retention.ts';
export {
  type ChangedTokens,
  disableTokens,
  enableTokens,
  listEnabledTokens,
  type TokenChange,
} from './token/account-tokens.ts';
export { setProcessorSeller } from './x402/set-processor-seller.ts';
