// The Solana package: transactions that wallets sign and relayers pay for, and their outcomes on chain.

export { type CreatedAccounts, createTokenAccounts } from './admin/create-token-accounts.ts';
export { closeReceipts, type OpenReceipt } from './finality/close-receipts.ts';
export { confirmationsOf, DEFAULT_CONFIRMATIONS, FINALIZED_CONFIRMATIONS } from './finality/commitment.ts';
export { finalizedSlot, findExpired, findMined } from './finality/find-batches.ts';
export { findTransactionOutcome, type PendingTransaction } from './finality/find-transaction-outcome.ts';
export { createClusterProbe } from './finality/probe-cluster.ts';
export { type RelayerFloat, readFloats } from './finality/relayer-balance.ts';
export type { TransactionOutcome } from './finality/transaction-outcome.ts';
export { openWatchedSolana, type SolanaWatchDeps } from './finality/watched-chain.ts';
export { checkMessage, type MessageCheck } from './message/check-message.ts';
export { type MessageTerms, mergedLegs } from './message/message-terms.ts';
export { messageText } from './message/message-text.ts';
export { prepareApproval } from './message/prepare-approval.ts';
export { fitsTransaction } from './message/sign-payment.ts';
export { signaturesIn, verifyText } from './message/verify-text.ts';
export { acceptanceExtra, type SolanaExtra } from './prepare/acceptance-extra.ts';
export { type PreparedOnChain, prepareOnChain } from './prepare/prepare-on-chain.ts';
export { provesTransfer } from './prove/proves-transfer.ts';
export type { Landing } from './prove/read-balance-changes.ts';
export { createReferenceChain } from './reference/reference-chain.ts';
export { referenceOf } from './reference/reference-key.ts';
export { findRefundOutcomes } from './refund/find-refund-outcomes.ts';
export { createSolanaRefunds } from './refund/solana-refunds.ts';
export { createTransferRestoreChain } from './restore/restore-chain.ts';
export { askFirst } from './rpc/ask-nodes.ts';
export { type ClusterNode, foreignNodes, openClusterNode } from './rpc/genesis.ts';
export { type OpenSolana, openSolana } from './rpc/open-networks.ts';
export { type ChainAccount, type Commitment, type Lifetime, openNode, type SolanaNode } from './rpc/solana-node.ts';
export { createLaneChain, type LaneChainOptions } from './send/create-lane-chain.ts';
export { openSolanaLanes } from './send/open-lanes.ts';
export { type CoSigned, coSign } from './signer/co-sign.ts';
export { secretInKeyFile } from './signer/key-file.ts';
export { openSolanaRelayers } from './signer/open-relayers.ts';
export { createLocalRelayer, type RelayerSigner } from './signer/relayer-signer.ts';
export { type JudgedMint, judgeMint, type MintRefusal } from './transfer/judge-mint.ts';
export { type Leg, legsOf, type Recipients } from './transfer/legs.ts';
export type { ClusterSettings, ClusterSettingsByNetwork } from './transfer/open-clusters.ts';
export { type PrepareRefusal, prepareTransfer } from './transfer/prepare-transfer.ts';
export { readTokenBalance } from './transfer/read-token-balance.ts';
export { isSolanaAddress, tokenAccountOf } from './transfer/token-account.ts';
export { memoOf, type PreparedTransfer, type TransferTerms } from './transfer/transfer-terms.ts';
export { checkLive, type Live } from './verify/check-live.ts';
export type { TransactionFlaw, TransactionRefusal } from './verify/refusal.ts';
export { createSolanaPayments } from './verify/solana-payments.ts';
export {
  type Agreed,
  type SignedTransactionFacts,
  submittedIn,
  type VerifiedTransaction,
  verifySigned,
} from './verify/verify-signed.ts';
