// Stores of a restore that write nothing once its lock is lost.
import type { RestoreLaneStore, RestoreStore } from '@svc-pay/core';
import type { RequireLock } from './restore-lock.ts';

type Write<Given extends readonly unknown[], Result> = (...given: Given) => Promise<Result>;

const underLock =
  (requireLock: RequireLock) =>
  <Given extends readonly unknown[], Result>(write: Write<Given, Result>): Write<Given, Result> =>
  async (...given) => {
    await requireLock();
    return write(...given);
  };

export function writeUnderLock(store: RestoreStore, requireLock: RequireLock): RestoreStore {
  const locked = underLock(requireLock);
  return {
    ...store,
    openRestore: locked(store.openRestore),
    closeRestore: locked(store.closeRestore),
    skipUsedIntentCodes: locked(store.skipUsedIntentCodes),
    addLostLane: locked(store.addLostLane),
    restoreTransaction: locked(store.restoreTransaction),
    restoreStranded: locked(store.restoreStranded),
    restoreTransfer: locked(store.restoreTransfer),
    liftLane: locked(store.liftLane),
  };
}

export function recordUnderLock(store: RestoreLaneStore, requireLock: RequireLock): RestoreLaneStore {
  const locked = underLock(requireLock);
  return {
    takeOver: locked(store.takeOver),
    loadPendingBatches: store.loadPendingBatches,
    recordMined: locked(store.recordMined),
  };
}
