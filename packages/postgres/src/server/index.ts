export { freePort } from './free-port.ts';
export { waitForPreviousServer } from './previous-server.ts';
export { reachableDirectory } from './reachable-directory.ts';
export { type PostgresOptions, type PostgresServer, startPostgres } from './start-postgres.ts';
