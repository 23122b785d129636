export type { EndpointFields } from './change-endpoint.ts';
export {
  createMerchantStores,
  type MerchantReads,
  type MerchantStores,
  type MerchantWrites,
} from './merchant-stores.ts';
export type { Page } from './page.ts';
export type { Done, Refused, Written } from './work.ts';
