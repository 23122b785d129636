// Stores of `svc recover`, which restores a database from its chains.
export { createLaneStore } from './lane/lane-store.ts';
export { endConsoleAccess } from './restore/end-console-access.ts';
export { acceptOpenRestore } from './restore/open-restores.ts';
export { lockRestore, type RequireLock, RestoreLockLost } from './restore/restore-lock.ts';
export { createRestoreStore } from './restore/restore-store.ts';
export { recordUnderLock, writeUnderLock } from './restore/write-under-lock.ts';
export { createStrandedLaneStore } from './stranded/stranded-lane-store.ts';
