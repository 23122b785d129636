// The EVM side of the service: the processor's interface, its deployment, and what its logs prove.
export {
  type CeremonyOutcome,
  ceremonyCalls,
  ceremonyOperation,
  performCeremony,
  tokenCall,
} from './deploy/ceremony.ts';
export { CREATE2_FACTORY, create2Address, saltOf } from './deploy/create2.ts';
export { type DeployOutcome, deployProcessor } from './deploy/deploy-processor.ts';
export {
  type DeploymentRecord,
  type ReadRecord,
  readDeploymentRecord,
  recordFile,
  writeDeploymentRecord,
} from './deploy/deployment-record.ts';
export { openAccount } from './deploy/open-account.ts';
export { type ChainAccount, openChain } from './deploy/open-chain.ts';
export { pauseProcessor, unpauseOperation } from './deploy/pause-processor.ts';
export { type DeploymentPlan, planProblems, type TokenPlan } from './deploy/plan.ts';
export { type RegistryEntry, readPayouts } from './deploy/read-payouts.ts';
export { type ReadPlan, readPlan } from './deploy/read-plan.ts';
export { retireRelayer, revokeRelayerOperation, rotateRelayerOperation } from './deploy/relayers.ts';
export { type RoleName, roleMembers } from './deploy/roles.ts';
export { type Call, type CallOutcome } from './deploy/send-call.ts';
export { type PayoutTerms, retirePayout, type SetPayoutOutcome, setPayout } from './deploy/set-payout.ts';
export { type PayoutChange, type PayoutSync, syncPayouts } from './deploy/sync-payouts.ts';
export { execute, type ProposeOutcome, propose, type TimelockOperation } from './deploy/timelock.ts';
export { deploymentProblems } from './deploy/verify-deployment.ts';
export { adminTimelockAbi } from './generated/admin-timelock-abi.ts';
export { adminTimelockBytecode } from './generated/admin-timelock-bytecode.ts';
export { mockUsdcAbi } from './generated/mock-usdc-abi.ts';
export { mockUsdcBytecode } from './generated/mock-usdc-bytecode.ts';
export { paymentProcessorAbi } from './generated/payment-processor-abi.ts';
export { paymentProcessorBytecode } from './generated/payment-processor-bytecode.ts';
export { readAuthorizationStates, type WatchedAuthorization } from './lane/authorization-states.ts';
export { createLaneChain, type LaneChainOptions } from './lane/create-lane-chain.ts';
export { findMined } from './lane/find-mined.ts';
export { type Finality, readFinality } from './lane/read-finality.ts';
export { type Fitness, readFitness } from './lane/read-fitness.ts';
export { readPlaces } from './lane/read-places.ts';
export { DEFAULT_TIP_BOUNDS, type FeeBounds, type TipBounds } from './lane/transaction-fees.ts';
export { NodeRefused } from './ledger/ask-node.ts';
export {
  CHAIN_CHECKS,
  type ChainBefore,
  type ChainToCheck,
  checkChain,
  lookAtChain,
} from './ledger/check-chain.ts';
export {
  type BatchItem,
  type BatchPayment,
  packBatchItem,
  readItemCodes,
} from './processor/batch-item.ts';
export { type BoundTerms, boundNonce, type PayoutSplit } from './processor/bound-nonce.ts';
export { type DirectSubmission, provesStranding, type ReceiptLog } from './processor/proves-stranding.ts';
export { countAt, findByNonce } from './recover/find-by-nonce.ts';
export { type BlockRange, type FoundTransaction, findSent } from './recover/find-sent.ts';
export { readSent } from './recover/read-sent.ts';
export { agreeOnEnds } from './rpc/agree-on-ends.ts';
export { createEndpointPool, type EndpointPool, type EndpointTrouble } from './rpc/endpoint-pool.ts';
export { type GatherOptions, gatherCalls } from './rpc/gather-calls.ts';
export {
  createEndpoints,
  createJsonRpc,
  type JsonRpc,
  type JsonRpcOptions,
  type RpcAnswer,
  type RpcCall,
  RpcUnavailable,
} from './rpc/json-rpc.ts';
export { openAwsKms } from './signer/aws-kms.ts';
export { type OpenedKeystore, openKeystore, sealKeystore } from './signer/keystore.ts';
export { createKmsSigner, type KeyService } from './signer/kms-signer.ts';
export { createLocalSigner } from './signer/local-signer.ts';
export type { DigestSignature, TransactionSigner } from './signer/transaction-signer.ts';
export { type ChainStanding, readStandings } from './trace/read-standings.ts';
export {
  type AuthorizationFate,
  type TracedAuthorization,
  traceAuthorizations,
} from './trace/trace-authorizations.ts';
export type { SignedDigest, SignedKind } from './verify/signed-digests.ts';
export { type ChainRefusal, type ChainVerdict, verifyOnChain } from './verify/verify-on-chain.ts';
