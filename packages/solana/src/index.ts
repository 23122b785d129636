// The Solana side of the service: transactions that wallets sign and the relayer pays for, and what the chain made of them.
export { confirmationsOf, DEFAULT_CONFIRMATIONS, FINALIZED_CONFIRMATIONS } from './confirm/commitment.ts';
export type { Fate } from './confirm/fate.ts';
export { type Flying, findFate } from './confirm/find-fate.ts';
export { provesTransfer } from './confirm/proves-transfer.ts';
export type { Landing } from './confirm/read-landing.ts';
export { createLaneChain, type LaneChainOptions } from './lane/create-lane-chain.ts';
export { finalizedSlot, findExpired, findMined } from './lane/find-batches.ts';
export { type RelayerFloat, readFloats } from './lane/float.ts';
export { checkMessage, type MessageCheck } from './message/check-message.ts';
export { closeReceipts, type OpenReceipt } from './message/close-receipts.ts';
export { type MessageTerms, mergedLegs } from './message/message-terms.ts';
export { messageText } from './message/message-text.ts';
export { prepareApproval } from './message/prepare-approval.ts';
export { fitsTransaction } from './message/sign-payment.ts';
export { signaturesIn, verifyText } from './message/verify-text.ts';
export { type JudgedMint, judgeMint, type MintRefusal } from './mint/judge-mint.ts';
export { readTokenBalance } from './mint/read-balance.ts';
export { type CreatedAccounts, createTokenAccounts } from './onboard/create-token-accounts.ts';
export { acceptanceExtra, type SolanaExtra } from './prepare/acceptance-extra.ts';
export { type PreparedOnChain, prepareOnChain } from './prepare/prepare-on-chain.ts';
export { askFirst } from './rpc/ask-nodes.ts';
export { type ClusterNode, foreignNodes, openClusterNode } from './rpc/genesis.ts';
export { type ChainAccount, type Commitment, type Lifetime, openNode, type SolanaNode } from './rpc/solana-node.ts';
export { type CoSigned, coSign } from './signer/co-sign.ts';
export { secretInKeyFile } from './signer/key-file.ts';
export { createLocalRelayer, type RelayerSigner } from './signer/relayer-signer.ts';
export { type Leg, legsOf, type Recipients } from './transfer/legs.ts';
export { type PrepareRefusal, prepareTransfer } from './transfer/prepare-transfer.ts';
export { isSolanaAddress, tokenAccountOf } from './transfer/token-account.ts';
export { memoOf, type PreparedTransfer, type TransferTerms } from './transfer/transfer-terms.ts';
export { checkLive, type Live } from './verify/check-live.ts';
export type { TransactionFlaw, TransactionRefusal } from './verify/refusal.ts';
export {
  type Agreed,
  type SentTransaction,
  sentIn,
  type VerifiedTransaction,
  verifySigned,
} from './verify/verify-signed.ts';
