// The API in the process of a test, for suites outside of this package.
export { isKeyed } from '../routes/route.ts';
export { ROUTES } from '../routes/route-table.ts';
export { CREATE, call, cancelPath, intentPath } from './call.ts';
export { fillRequest, type Ids, type Operation, operationsOf } from './fill-request.ts';
export { nobodysIds, ownObjects } from './own-objects.ts';
export { readEvents } from './read-events.ts';
export { PEPPER, type SeededAccount, seedAccount } from './seed-account.ts';
export { startTestApi, type TestApi } from './start-test-api.ts';
