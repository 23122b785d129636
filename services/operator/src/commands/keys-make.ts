import { createSecretBox, isoTime, type KeyKind, type Mode, newKey } from '@svc-pay/core';
import { createKey, rollKey } from '@svc-pay/postgres/operator';
import { isId } from '@svc-pay/protocol/ids';
import type { Input } from '../command/context.ts';
import { COMMAND } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { done, failed, misused, type Outcome } from '../output/outcome.ts';
import { shownTime } from '../output/times.ts';
import { readDurationMs } from './duration.ts';
import { unknownAccount } from './refusals.ts';
import { SHOWN_ONCE, shownKey, shownKeys } from './shown-key.ts';

type Create = { readonly account: string; readonly mode: Mode; readonly kind: KeyKind };
type Roll = { readonly account: string; readonly mode: Mode; readonly overlap: string };

const MAX_OVERLAP_MS = 7 * 86_400_000;

export async function createOne({ options, context }: Input<Create>): Promise<Outcome> {
  const { account: accountId, mode, kind } = options;
  if (!isId('account', accountId)) return unknownAccount(accountId);
  return withOperation(context, ['keyPepper', 'masterKeys'], async ({ operation, config }) => {
    const secrets = { pepper: config.keyPepper, box: createSecretBox(config.masterKeys) };
    const key = newKey(secrets, { accountId, mode }, kind, operation.nowMs);
    const made = await createKey(operation, key.record);
    if (!made.ok) return unknownAccount(accountId);
    return done(
      { key: { ...shownKey(key), signs: made.signing } },
      [shownKeys([key], context.paint), ...(kind === 'secret' ? ['', context.paint.warn(SHOWN_ONCE)] : [])].join('\n'),
    );
  });
}

export async function rollOne({ options, context }: Input<Roll>): Promise<Outcome> {
  const { account: accountId, mode, overlap } = options;
  const overlapMs = readDurationMs(overlap);
  if (overlapMs === undefined || overlapMs > MAX_OVERLAP_MS) {
    return misused('An overlap is 0 to 7d.', 'Write it as 0, 90s, 30m, 24h or 7d.');
  }
  if (!isId('account', accountId)) return unknownAccount(accountId);
  return withOperation(context, ['keyPepper', 'masterKeys'], async ({ operation, config }) => {
    const secrets = { pepper: config.keyPepper, box: createSecretBox(config.masterKeys) };
    const key = newKey(secrets, { accountId, mode }, 'secret', operation.nowMs);
    const result = await rollKey(operation, key.record, overlapMs);
    if (!result.ok) {
      if (result.code === 'roll_in_progress') {
        return failed(
          result.code,
          `Key ${result.keyId} is being rolled already, until ${shownTime(result.expiresAtMs)} UTC.`,
          `Switch with \`${COMMAND} keys sign-with\` first, or wait.`,
        );
      }
      if (result.code === 'account_unknown') return unknownAccount(accountId);
      return failed(result.code, 'There is no secret key to roll.', `Make one with \`${COMMAND} keys create\`.`);
    }
    const { rolled, expiresAtMs } = result;
    const next =
      overlapMs === 0
        ? `The old key ${rolled.id} (${rolled.hint}) has ended; the new one signs webhooks.`
        : `The old key ${rolled.id} (${rolled.hint}) works and signs webhooks until ${shownTime(expiresAtMs)} UTC.\n` +
          `When the merchant verifies with the new one: \`${COMMAND} keys sign-with ${key.record.id}\`.`;
    return done(
      {
        key: { ...shownKey(key), signs: overlapMs === 0 },
        rolled: { id: rolled.id, hint: rolled.hint, expiresAt: isoTime(expiresAtMs) },
      },
      [shownKeys([key], context.paint), '', context.paint.warn(SHOWN_ONCE), next].join('\n'),
    );
  });
}
