export { writeEvents } from '../payment/write-payment-results.ts';
export { Crash, crashingDeps } from './crashing-deps.ts';
export { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './create-test-database.ts';
export { createTestIntent } from './create-test-intent.ts';
export { idAt } from './id-at.ts';
export { type QueuedPayment, queuePayment } from './queue-payment.ts';
export { insertRow, insertRows, NOW, type Row, SAMPLES, type SampleTable } from './sample-rows.ts';
export { type MerchantOptions, NETWORKS, PROCESSOR, seedMerchant } from './seed-merchant.ts';
export { type SettledBatch, seedSettledBatch } from './seed-settled-batch.ts';
