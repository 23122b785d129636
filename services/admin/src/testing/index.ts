// The admin service in the process of a test, for suites outside of this package.
export { ADMIN_INPUTS } from './people-harness.ts';
export { startTestAdmin } from './start-test-admin.ts';
