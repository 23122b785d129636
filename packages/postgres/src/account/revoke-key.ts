import { judgeRevocation, type KeyOwner } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { findKeyOwner } from './find-key-owner.ts';
import { lockKeys } from './lock-keys.ts';

export type RevokedKey =
  | { readonly ok: true; readonly owner: KeyOwner; readonly changed: boolean }
  /** `key_signs`: another key must be chosen for signing before this one can be revoked. */
  | { readonly ok: false; readonly code: 'key_unknown' | 'key_signs' };

export async function revokeKey({ pool, nowMs, actor }: Operation, keyId: string): Promise<RevokedKey> {
  return inTransaction(pool, async (client): Promise<RevokedKey> => {
    const owner = await findKeyOwner(client, keyId);
    const locked = owner && (await lockKeys(client, owner.accountId, owner.mode, nowMs));
    const key = locked?.keys.find(({ id }) => id === keyId);
    if (owner === undefined || key === undefined) return { ok: false, code: 'key_unknown' };
    const verdict = judgeRevocation(key);
    if (verdict === 'revoked_before') return { ok: true, owner, changed: false };
    if (verdict === 'key_signs') return { ok: false, code: verdict };
    await client.query(
      `update svc.api_keys set signing = false, revoked_at = $4 where account_id = $1 and mode = $2 and id = $3`,
      [owner.accountId, owner.mode, keyId, new Date(nowMs)],
    );
    await writeAudit(client, nowMs, {
      ...owner,
      actor,
      action: 'key.revoked',
      target: keyId,
      detail: { kind: key.kind, hint: key.hint },
    });
    return { ok: true, owner, changed: true };
  });
}
