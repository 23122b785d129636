// The API in the process of a test, for suites outside of this package.
export { CREATE, call, cancelPath, intentPath } from './call.ts';
export { readEvents } from './read-events.ts';
export { PEPPER } from './seed-account.ts';
export { startTestApi, type TestApi } from './start-test-api.ts';
