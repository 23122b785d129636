// A buyer with a budget, for programs on Node: pays x402 sellers within limits that survive a restart.
export type { Agent, AgentOptions, AgentSpending, PaidRequest, PaymentProposal } from './agent.ts';
export { type AgentErrorCode, type AgentErrorInfo, AgentPayError } from './agent-error.ts';
export type { AgentToken } from './agent-tokens.ts';
export { createAgent } from './create-agent.ts';
export { fileSpendStore } from './file-store.node.ts';
export type { AgentLimits } from './limits.ts';
export type { AuthorizationUse } from './read-authorization.ts';
export { readReceipt, type SellerReceipt } from './read-receipt.ts';
export type { AgentSigner } from './sign-payment.ts';
export {
  type AgentAuthorization,
  type AgentPayment,
  type AgentPaymentStage,
  type BookChange,
  EMPTY_BOOK,
  type SpendBook,
} from './spend-book.ts';
export type { SpendStore } from './spend-store.ts';
