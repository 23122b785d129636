// Statements of the admin service.
import type {
  AuditExport,
  AuditSigner,
  KeyIndexes,
  KeyOwner,
  KeySecrets,
  KnownOperator,
  OperatorFacts,
} from '@svc-pay/core';
import { findKeyOwner } from './account/find-key-owner.ts';
import { type AdminActions, createAdminActions } from './admin-actions.ts';
import { exportAuditHeads } from './audit/audit-exports.ts';
import type { Operation } from './audit/operation.ts';
import { type FoundSession, findSession } from './console/find-session.ts';
import { type MadeSessionKey, makeSessionKey, type SessionKeyToMake } from './console/make-session-key.ts';
import type { Database } from './database/open-database.ts';
import { loadOperatorFacts } from './operator/load-operator-facts.ts';
import { findOperator } from './operator/operators.ts';

export type { AdminActions } from './admin-actions.ts';
export { type Standing, StandingLost } from './audit/standing.ts';
export type { FoundSession } from './console/find-session.ts';

/** Under whom an action is audited, and what a person needs to have still. */
export type ActionBy = Omit<Operation, 'pool'>;

export type AdminStores = {
  readonly findOperator: (indexes: KeyIndexes, nowMs: number) => Promise<KnownOperator | undefined>;
  /** By the hash of the token of a console session. */
  readonly findSession: (tokenHash: Uint8Array) => Promise<FoundSession | undefined>;
  /** Of a key that the account's people manage: keys of sessions are none. */
  readonly findKeyOwner: (keyId: string) => Promise<KeyOwner | undefined>;
  /** Audited under `actor`. */
  readonly makeSessionKey: (actor: string, nowMs: number, key: SessionKeyToMake) => Promise<MadeSessionKey>;
  readonly actionsOf: (by: ActionBy) => AdminActions;
  /** What the operator's page is built from. */
  readonly loadOperatorFacts: (nowMs: number) => Promise<OperatorFacts>;
  readonly exportAuditHeads: (nowMs: number, signer: AuditSigner) => Promise<AuditExport | undefined>;
};

export function createAdminStores({ pool }: Database, secrets: KeySecrets): AdminStores {
  return {
    findOperator: (indexes, nowMs) => findOperator(pool, indexes, nowMs),
    findSession: (tokenHash) => findSession(pool, tokenHash),
    findKeyOwner: (keyId) => findKeyOwner(pool, keyId, { sessionKeysToo: false }),
    makeSessionKey: (actor, nowMs, key) => makeSessionKey({ pool, nowMs, actor }, key),
    actionsOf: (by) => createAdminActions({ ...by, pool }, secrets),
    loadOperatorFacts: (nowMs) => loadOperatorFacts(pool, nowMs),
    exportAuditHeads: (nowMs, signer) => exportAuditHeads(pool, nowMs, signer),
  };
}
