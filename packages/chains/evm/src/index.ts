// The EVM package: the processor's interface and deployment, lanes, watchers, and what logs prove.
export {
  type CeremonyOutcome,
  ceremonyCalls,
  ceremonyOperation,
  performCeremony,
  tokenCall,
} from './admin/ceremony.ts';
export { CREATE2_FACTORY, create2Address, saltOf } from './admin/create2.ts';
export { type DeployDirectBatchOutcome, deployDirectBatch, directBatchProblems } from './admin/deploy-direct-batch.ts';
export { type DeployOutcome, deployProcessor } from './admin/deploy-processor.ts';
export {
  type DeploymentRecord,
  type ReadRecord,
  readDeploymentRecord,
  recordFile,
  writeDeploymentRecord,
} from './admin/deployment-record.ts';
export { type AdminClient, openAccount, openChain } from './admin/open-chain.ts';
export { pauseProcessor, unpauseOperation } from './admin/pause-processor.ts';
export { type DeploymentPlan, planProblems, type TokenPlan } from './admin/plan.ts';
export {
  type DeployedToken,
  type Deployment,
  type DeploymentQuestion,
  readDeployment,
} from './admin/read-deployment.ts';
export { type RegistryEntry, readPayouts } from './admin/read-payouts.ts';
export { type ReadPlan, readPlan } from './admin/read-plan.ts';
export { retireRelayer, revokeRelayerOperation, rotateRelayerOperation } from './admin/relayers.ts';
export { type RetiredRelayer, retireRelayerBySigner } from './admin/retire-relayer-by-signer.ts';
export { type RoleName, roleMembers } from './admin/roles.ts';
export { type Call, type CallOutcome } from './admin/send-call.ts';
export { type OnChainPayoutTerms, retirePayout, type SetPayoutOutcome, setPayout } from './admin/set-payout.ts';
export { type PayoutChange, type PayoutSync, syncPayouts } from './admin/sync-payouts.ts';
export { execute, type ProposeOutcome, propose, type TimelockOperation } from './admin/timelock.ts';
export { type SignableTypedData, type TypedDataSigner, typedDataSigner } from './admin/typed-data-signer.ts';
export { deploymentProblems } from './admin/verify-deployment.ts';
export { DIRECT_BATCH_ADDRESS } from './direct/direct-batch-address.ts';
export { unpackDirectBatch } from './direct/direct-batch-call.ts';
export { readSingleTransfer } from './direct/single-transfer.ts';
export { evmFitness } from './finality/fitness.ts';
export { createRegistryMirror } from './finality/mirror-registry.ts';
export {
  type AuthorizationStatus,
  readAuthorizationStates,
  readAuthorizationStatuses,
  type WatchedAuthorization,
} from './finality/read-authorization-status.ts';
export {
  type BlockHashes,
  type Finality,
  type FinalNode,
  readBatchView,
  readBlockHashes,
  readFinality,
  readFinalNodes,
} from './finality/read-finality.ts';
export { traceAuthorizations } from './finality/trace-authorizations.ts';
export {
  createEvmWatchedChain,
  type EvmWatchDeps,
  openWatchedEvm,
  type WatchedEvm,
} from './finality/watched-chain.ts';
export { adminTimelockAbi } from './generated/admin-timelock-abi.ts';
export { adminTimelockBytecode } from './generated/admin-timelock-bytecode.ts';
export { directBatchAbi } from './generated/direct-batch-abi.ts';
export { mockUsdcAbi } from './generated/mock-usdc-abi.ts';
export { mockUsdcBytecode } from './generated/mock-usdc-bytecode.ts';
export { paymentProcessorAbi } from './generated/payment-processor-abi.ts';
export { paymentProcessorBytecode } from './generated/payment-processor-bytecode.ts';
export { activationToSign } from './payout/activation-message.ts';
export {
  type ActivationCheckOptions,
  type ActivationLog,
  type ActivationVerdict,
  type CheckActivation,
  createActivationCheck,
} from './payout/check-activation.ts';
export { addressOfKey, signActivation } from './payout/sign-activation.ts';
export {
  type BatchItem,
  type BatchPayment,
  packBatchItem,
  readItemCodes,
} from './processor/batch-item.ts';
export { DEFAULT_CALL_GAS } from './processor/gas-limit.ts';
export {
  CHAIN_CHECKS,
  type ChainBefore,
  type ChainToCheck,
  checkChain,
  readChainBefore,
} from './prove/check-chain.ts';
export { findMined } from './prove/find-mined.ts';
export { type DirectSubmission, provesStranding, type ReceiptLog } from './prove/proves-stranding.ts';
export { type LogOrder, readLogOrder } from './prove/read-log-order.ts';
export { createEndpointProbe } from './reader/probe-endpoints.ts';
export { openReaderChains } from './reader/reader-chain.ts';
export { createReaderNode } from './reader/reader-node.ts';
export { type RecorderOptions, type RpcRecorder, startRpcRecorder } from './recording/record-rpc.ts';
export { type Exchange, type Recording, readRecording } from './recording/recording.ts';
export { providerOf } from './recording/redact.ts';
export { NOT_RECORDED, type RpcReplayer, startRpcReplayer } from './recording/replay-rpc.ts';
export type { ListenAddress } from './recording/serve-rpc.ts';
export { createRestoreChain } from './restore/restore-chain.ts';
export { NodeRefused } from './rpc/ask-node.ts';
export { type CoalesceOptions, coalesceRpcCalls } from './rpc/coalesce-rpc-calls.ts';
export { collectNodeViews, firstNodeView } from './rpc/collect-node-views.ts';
export { createEndpointPool, type EndpointPool, type EndpointTrouble } from './rpc/endpoint-pool.ts';
export {
  createEndpoints,
  createJsonRpc,
  type JsonRpc,
  type JsonRpcOptions,
  type RpcAnswer,
  type RpcCall,
  RpcUnavailable,
} from './rpc/json-rpc.ts';
export { requireEndpointQuorum } from './rpc/require-endpoint-quorum.ts';
export { createLaneChain, type LaneChainOptions } from './send/create-lane-chain.ts';
export { openEvmLanes } from './send/open-lanes.ts';
export { type OpenNetwork, openNetworks } from './send/open-networks.ts';
export { type Fitness, readFitness } from './send/read-relayer-fitness.ts';
export { DEFAULT_TIP_BOUNDS, type FeeBounds, type TipBounds } from './send/transaction-fees.ts';
export { openAwsKms } from './signer/aws-kms.ts';
export { type OpenedKeystore, openKeystore, sealKeystore } from './signer/keystore.ts';
export { createKmsSigner, type KeyService } from './signer/kms-signer.ts';
export { createLocalSigner } from './signer/local-signer.ts';
export { openSigners, type Signers } from './signer/open-signers.ts';
export type { DigestSignature, TransactionSigner } from './signer/transaction-signer.ts';
export type { SignedDigest, SignedKind } from './verify/signed-digests.ts';
export { type ChainRefusal, type ChainVerdict, verifyOnChain } from './verify/verify-on-chain.ts';
