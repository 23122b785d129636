import { isoTime, type Mode } from '@svc-pay/core';
import { listKeys, revokeKey, signWithKey } from '@svc-pay/postgres/operator';
import { isId } from '@svc-pay/protocol/ids';
import type { Input } from '../command/context.ts';
import { COMMAND } from '../command/leaf.ts';
import { withOperation } from '../command/with-operation.ts';
import { done, failed, type Outcome } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';
import { unknownKey } from './refusals.ts';

type List = { readonly account?: string; readonly mode?: Mode };

export async function listAll({ options, context }: Input<List>): Promise<Outcome> {
  return withOperation(context, [], async ({ operation }) => {
    const { account: accountId, mode } = options;
    const keys = await listKeys(operation.pool, { accountId, mode }, operation.nowMs);
    const text = table(
      keys,
      [
        { head: 'ACCOUNT', cell: (key) => key.accountId },
        { head: 'MODE', cell: (key) => key.mode },
        { head: 'KEY', cell: (key) => key.id },
        { head: 'KIND', cell: (key) => key.kind },
        { head: 'TEXT', cell: (key) => key.publishableText ?? key.hint },
        { head: 'STATE', cell: (key) => key.state },
        { head: 'SIGNS', cell: (key) => (key.signs ? 'yes' : '') },
        { head: 'UNTIL (UTC)', cell: (key) => (key.expiresAtMs === null ? '' : shownTime(key.expiresAtMs)) },
      ],
      context.paint,
    );
    const data = keys.map(({ createdAtMs, expiresAtMs, ...key }) => ({
      ...key,
      createdAt: isoTime(createdAtMs),
      expiresAt: timeOrNull(expiresAtMs),
    }));
    return done({ keys: data }, keys.length === 0 ? 'There are no such keys.' : text);
  });
}

export async function signWithOne({ positionals: [keyId = ''], context }: Input<unknown>): Promise<Outcome> {
  if (!isId('key', keyId)) return unknownKey();
  return withOperation(context, [], async ({ operation }) => {
    const result = await signWithKey(operation, keyId);
    if (!result.ok) {
      if (result.code === 'key_unknown') return unknownKey();
      return failed(
        result.code,
        result.code === 'key_not_secret' ? 'Only a secret key can sign.' : `Key ${keyId} is revoked or has expired.`,
        `Choose a usable secret key from \`${COMMAND} keys list\`.`,
      );
    }
    const { owner, changed, before } = result;
    return done(
      { ...owner, keyId, changed, before },
      changed
        ? `Webhooks of ${owner.accountId} in ${owner.mode} mode are signed with ${keyId} from now on.`
        : `${keyId} signs already.`,
    );
  });
}

export async function revokeOne({ positionals: [keyId = ''], context }: Input<unknown>): Promise<Outcome> {
  if (!isId('key', keyId)) return unknownKey();
  return withOperation(context, [], async ({ operation }) => {
    const result = await revokeKey(operation, keyId);
    if (!result.ok) {
      if (result.code === 'key_unknown') return unknownKey();
      return failed(
        result.code,
        `Key ${keyId} signs webhooks, so it can't go yet.`,
        `Roll it (\`${COMMAND} keys roll\`), or let another key sign (\`${COMMAND} keys sign-with\`), then revoke it.`,
      );
    }
    const { owner, changed } = result;
    const text = changed
      ? `Key ${keyId} is revoked. Processes that remember it stop taking it within moments.`
      : `Key ${keyId} was revoked before.`;
    return done({ ...owner, keyId, changed }, text);
  });
}
