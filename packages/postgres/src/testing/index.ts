export { writeEvents } from '../event/write-events.ts';
export { createRefundStore } from '../refund/refund-store.ts';
export { createApplyHarness } from './apply-harness.ts';
export { type BookedRows, type BookedWish, bookReversal, bookSettled } from './book-settled.ts';
export { changeRows } from './change-rows.ts';
export { type CopyWish, copyPayments } from './copy-payments.ts';
export { Crash, crashingDeps } from './crashing-deps.ts';
export {
  copyTestDatabase,
  createTestDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from './create-test-database.ts';
export { createTestIntent } from './create-test-intent.ts';
export { createIcrcHarness } from './icrc-harness.ts';
export { createIcrcWorld, DOLLAR, ICRC_NETWORK, type IcrcWorld } from './icrc-world.ts';
export { idAt } from './id-at.ts';
export { createLogin } from './log-in-as.ts';
export { type ModelPayments, seedModelPayments } from './model-payments.ts';
export { type QueuedPayment, queuePayment } from './queue-payment.ts';
export { queueRefund, type RefundToQueue, type RefundToSign } from './queue-refund.ts';
export { insertRow, insertRows, NOW, type Row, SAMPLES, type SampleTable } from './sample-rows.ts';
export { type DirectPayoutOptions, seedDirectPayout } from './seed-direct-payout.ts';
export { type MerchantOptions, NETWORKS, PROCESSOR, seedMerchant } from './seed-merchant.ts';
export { type SettledBatch, seedSettledBatch } from './seed-settled-batch.ts';
export { createPostgresHarness } from './store-harness.ts';
export { unguardLedger } from './unguard-ledger.ts';
export { whileUncommitted } from './while-uncommitted.ts';
