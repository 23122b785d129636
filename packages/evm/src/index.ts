// The EVM side of the service: the processor's interface, its deployment, and what its logs prove.
export { adminTimelockAbi } from './generated/admin-timelock-abi.ts';
export { adminTimelockBytecode } from './generated/admin-timelock-bytecode.ts';
export { mockUsdcAbi } from './generated/mock-usdc-abi.ts';
export { mockUsdcBytecode } from './generated/mock-usdc-bytecode.ts';
export { paymentProcessorAbi } from './generated/payment-processor-abi.ts';
export { paymentProcessorBytecode } from './generated/payment-processor-bytecode.ts';
export { type BoundTerms, boundNonce, type PayoutSplit } from './processor/bound-nonce.ts';
export { type DirectSubmission, provesStranding, type ReceiptLog } from './processor/proves-stranding.ts';
export { type GatherOptions, gatherCalls } from './rpc/gather-calls.ts';
export {
  createJsonRpc,
  type JsonRpc,
  type JsonRpcOptions,
  type RpcAnswer,
  type RpcCall,
  RpcUnavailable,
} from './rpc/json-rpc.ts';
export type { SignedDigest, SignedKind } from './verify/signed-digests.ts';
export { type ChainRefusal, type ChainVerdict, verifyOnChain } from './verify/verify-on-chain.ts';
