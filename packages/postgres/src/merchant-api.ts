export type { Page } from './database/page.ts';
export type { EndpointFields } from './endpoint/change-endpoint.ts';
export { createExportStore } from './export/export-store.ts';
export type { Done, RefusedWrite, Written } from './idempotency/merchant-write.ts';
export { createListStores, LIST_POOL, type ListStores } from './list-stores.ts';
export type { ListedAttempt } from './listing/list-attempts.ts';
export {
  createMerchantStores,
  type MerchantReads,
  type MerchantStores,
  type MerchantWrites,
} from './merchant-stores.ts';
