import { judgeSigner, type KeyOwner } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { inOperation } from '../audit/standing.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { findKeyOwner } from './find-key-owner.ts';
import { lockKeys, markSigning } from './lock-keys.ts';

export type SigningSwitch =
  | { readonly ok: true; readonly owner: KeyOwner; readonly changed: boolean; readonly before: string | null }
  | { readonly ok: false; readonly code: 'key_unknown' | 'key_not_secret' | 'key_has_scopes' | 'key_not_usable' };

/** From the commit on, webhooks of the account and mode are signed with this key. */
export async function signWithKey(operation: Operation, keyId: string): Promise<SigningSwitch> {
  const { nowMs, actor } = operation;
  return inOperation(operation, async (client): Promise<SigningSwitch> => {
    const owner = await findKeyOwner(client, keyId);
    const locked = owner && (await lockKeys(client, owner.accountId, owner.mode, nowMs));
    const key = locked?.keys.find(({ id }) => id === keyId);
    if (owner === undefined || key === undefined) return { ok: false, code: 'key_unknown' };
    const verdict = judgeSigner(key, nowMs);
    if (verdict !== 'sign' && verdict !== 'signs_already') return { ok: false, code: verdict };
    const before = locked?.signing?.id ?? null;
    if (verdict === 'signs_already') return { ok: true, owner, changed: false, before };
    await markSigning(client, owner.accountId, owner.mode, keyId);
    await writeAudit(client, nowMs, { ...owner, actor, action: 'key.signs', target: keyId, detail: { before } });
    return { ok: true, owner, changed: true, before };
  });
}
