import { judgeRoll, type KeyRecord } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { inOperation } from '../audit/standing.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { insertKey } from './insert-key.ts';
import { type KeyState, lockKeys, markSigning } from './lock-keys.ts';

export type RolledKey =
  | { readonly ok: true; readonly rolled: KeyState; readonly expiresAtMs: number }
  | { readonly ok: false; readonly code: 'account_unknown' | 'no_signing_key' }
  /** The previous roll is not finished: its old key still signs. */
  | { readonly ok: false; readonly code: 'roll_in_progress'; readonly keyId: string; readonly expiresAtMs: number };

/**
 * Adds `replacement`. The key that signs now stays valid and keeps signing for `overlapMs`. Without an overlap the
 * replacement signs immediately.
 */
export async function rollKey(operation: Operation, replacement: KeyRecord, overlapMs: number): Promise<RolledKey> {
  const { nowMs, actor } = operation;
  const { accountId, mode } = replacement;
  return inOperation(operation, async (client) => {
    const locked = await lockKeys(client, accountId, mode, nowMs);
    if (locked === undefined) return { ok: false, code: 'account_unknown' };
    const rolled = locked.signing;
    const verdict = judgeRoll(rolled);
    if (rolled === undefined || verdict === 'no_signing_key') return { ok: false, code: 'no_signing_key' };
    if (verdict === 'roll_in_progress') {
      return { ok: false, code: verdict, keyId: rolled.id, expiresAtMs: rolled.expiresAtMs ?? nowMs };
    }
    const expiresAtMs = nowMs + overlapMs;
    await insertKey(client, operation, replacement, false);
    if (overlapMs === 0) await markSigning(client, accountId, mode, replacement.id);
    await client.query('update svc.api_keys set expires_at = $4 where account_id = $1 and mode = $2 and id = $3', [
      accountId,
      mode,
      rolled.id,
      new Date(expiresAtMs),
    ]);
    await writeAudit(client, nowMs, {
      accountId,
      mode,
      actor,
      action: 'key.rolled',
      target: rolled.id,
      detail: { replacement: replacement.id, overlapSeconds: overlapMs / 1_000 },
    });
    return { ok: true, rolled, expiresAtMs };
  });
}
