import { judgeRevocation, type KeyOwner, signingKeyAt } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { inOperation } from '../audit/standing.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { findKeyOwner } from './find-key-owner.ts';
import { lockKeys, markSigning } from './lock-keys.ts';

export type RevokedKey =
  | {
      readonly ok: true;
      readonly owner: KeyOwner;
      readonly changed: boolean;
      /** The key signed webhooks until now. */
      readonly signed: boolean;
      /** Key that signs webhooks from now on. Null: none can, and deliveries wait for a new one. */
      readonly signsNext: string | null;
    }
  /** `key_signs`: another key must be chosen for signing before this one can be revoked. */
  | { readonly ok: false; readonly code: 'key_unknown' | 'key_signs' };

/**
 * With `now` the signing key is revoked too, and the newest usable secret key without scopes signs after it. Keys of a
 * closed account open nothing, but one of them signs the events of payments that were under way, so they are revoked too.
 */
export async function revokeKey(
  operation: Operation,
  keyId: string,
  options: { readonly now: boolean } = { now: false },
): Promise<RevokedKey> {
  const { nowMs, actor } = operation;
  return inOperation(operation, async (client): Promise<RevokedKey> => {
    const owner = await findKeyOwner(client, keyId);
    const locked = owner && (await lockKeys(client, owner.accountId, owner.mode, nowMs, { closedToo: true }));
    const key = locked?.keys.find(({ id }) => id === keyId);
    if (owner === undefined || locked === undefined || key === undefined) return { ok: false, code: 'key_unknown' };
    const verdict = judgeRevocation(key, options);
    if (verdict === 'key_signs') return { ok: false, code: verdict };
    const signsNow = locked.signing?.id ?? null;
    if (verdict === 'revoked_before') return { ok: true, owner, changed: false, signed: false, signsNext: signsNow };
    await client.query(
      `update svc.api_keys set signing = false, revoked_at = $4 where account_id = $1 and mode = $2 and id = $3`,
      [owner.accountId, owner.mode, keyId, new Date(nowMs)],
    );
    const others = locked.keys.filter(({ id, kind, scoped }) => id !== keyId && kind === 'secret' && !scoped);
    const signsNext = key.signing ? (signingKeyAt(others, nowMs)?.id ?? null) : signsNow;
    if (key.signing && signsNext !== null) await markSigning(client, owner.accountId, owner.mode, signsNext);
    await writeAudit(client, nowMs, {
      ...owner,
      actor,
      action: 'key.revoked',
      target: keyId,
      detail: { kind: key.kind, hint: key.hint, ...(key.signing && { signed: true, signsNext }) },
    });
    return { ok: true, owner, changed: true, signed: key.signing, signsNext };
  });
}
