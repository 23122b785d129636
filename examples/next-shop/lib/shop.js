// What the route handlers share. A real shop keeps orders in its database; in Next every server has its own memory.
import { createDeduplicator, createMemoryStore, createReceiver, createSvcPay } from '@svc-pay/server';

const { BASE_URL, SECRET_KEY, ACCOUNT_ID, WEBHOOK_SECRET } = process.env;

export const svc = createSvcPay({ baseUrl: BASE_URL, secretKey: SECRET_KEY, accountId: ACCOUNT_ID });
export const receiver = createReceiver({ secrets: [WEBHOOK_SECRET] });
export const deduplicator = createDeduplicator({ store: createMemoryStore() });
export const orders = new Map();
