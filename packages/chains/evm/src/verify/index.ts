// Reads only, for processes that verify and never send: no contract bytecode, no accounts.
export { type ActivationLog, type CheckActivation, createActivationCheck } from '../payout/check-activation.ts';
export { createAuthorizationRefunds } from '../refund/authorization-refunds.ts';
export { createEvmRefundQuestions } from '../refund/refund-questions.ts';
export { createEvmPayments, type RpcUrls } from './evm-payments.ts';
