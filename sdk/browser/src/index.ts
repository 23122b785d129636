// Paying from a page. Chains are entries of their own (`/evm`, `/solana`, `/icp`), so that a page carries only those it pays on.
export type { Expectation, IntentToPay, PaymentRequest, UptoRequest } from './check/payment-request.ts';
export { createSvcPay, type SvcPay, type SvcPayOptions } from './client.ts';
export type { SdkErrorCode } from './error/sentences.ts';
export { SvcPayError, type SvcPayErrorCode, type SvcPayErrorInfo } from './error/svc-pay-error.ts';
export {
  TRANSACTION_EVENTS,
  type TransactionDetail,
  type TransactionError,
  type TransactionEventType,
} from './events/transaction-event.ts';
export type { PaymentResult } from './pay/conclude.ts';
export type { UptoAuthorization } from './pay/create-upto-authorization.ts';
export type { CallOptions, PaymentCallOptions } from './pay/parts.ts';
export type { Shelf } from './pay/sent-payments.ts';
export type { Ports } from './ports.ts';
export type { WaitRequest } from './wait/wait-for-payment.ts';
export type {
  Authorized,
  PayerWallet,
  PreparedTransaction,
  RegularCall,
  RegularPayment,
  RegularTerms,
  SigningCall,
  WalletCall,
} from './wallet.ts';
