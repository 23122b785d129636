import { createSecretBox, isoTime, type KeyKind, type Mode, newKey } from '@svc-pay/core';
import { createKey, listKeys, revokeKey, rollKey, signWithKey } from '@svc-pay/postgres/operator';
import { isId } from '@svc-pay/protocol/ids';
import { sealKeyText } from '@svc-pay/runtime/config';
import { Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, COMMAND, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured, withOperation } from '../command/with-operation.ts';
import { readOperatorConfig } from '../config.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';
import { readDurationMs } from './duration.ts';
import { unknownAccount, unknownKey } from './refusals.ts';
import { SHOWN_ONCE, shownKey, shownKeys } from './shown-key.ts';

type Create = { readonly account: string; readonly mode: Mode; readonly kind: KeyKind };
type Roll = { readonly account: string; readonly mode: Mode; readonly overlap: string };
type List = { readonly account?: string; readonly mode?: Mode };

const MAX_OVERLAP_MS = 7 * 86_400_000;

export function keysCommand(surroundings: Surroundings): Command {
  const create = leaf(
    'create',
    'Create another key. A new secret key signs webhooks only if the account has no signing key in this mode.',
    ['keys create --account acct_… --mode test --kind publishable'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(
      new Option('--kind <kind>', 'publishable or secret').choices(['publishable', 'secret']).makeOptionMandatory(),
    )
    .action(runs(surroundings, createOne));
  const list = leaf(
    'list',
    'Show the last characters of each key, whether the key is valid, and which key signs webhooks.',
    ['keys list --account acct_…', 'keys list --mode live --json'],
  )
    .addOption(accountOption())
    .addOption(modeOption())
    .action(runs(surroundings, listAll));
  const roll = leaf(
    'roll',
    'Create a secret key that replaces the signing key. The old key stays valid and signs webhooks until the overlap ends or `keys sign-with` switches.',
    ['keys roll --account acct_… --mode live', 'keys roll --account acct_… --mode live --overlap 0'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .option('--overlap <time>', 'how long the old key stays valid: 0 to 7d, such as 90s, 30m, 24h', '24h')
    .action(runs(surroundings, rollOne));
  const signWith = leaf('sign-with', 'Sign webhooks with this secret key from now on.', ['keys sign-with key_…'])
    .argument('<key>', 'id of the key')
    .action(runs(surroundings, signWithOne));
  const revoke = leaf('revoke', 'Revoke a key at once and for good. Replace the signing key with `keys roll` first.', [
    'keys revoke key_…',
  ])
    .argument('<key>', 'id of the key')
    .action(runs(surroundings, revokeOne));
  const sealKey = leaf(
    'seal-key',
    'Print the public half of the master key, for SVC_SEAL_KEY of the API. It encrypts the secrets of endpoints and decrypts nothing.',
    ['keys seal-key'],
  ).action(runs(surroundings, showSealKey));
  const group = new Command('keys').description('Make, roll and revoke API keys.');
  for (const command of [create, list, roll, signWith, revoke, sealKey]) group.addCommand(command);
  return group;
}

async function createOne({ options, context }: Input<Create>): Promise<CommandOutcome> {
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

async function rollOne({ options, context }: Input<Roll>): Promise<CommandOutcome> {
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

async function listAll({ options, context }: Input<List>): Promise<CommandOutcome> {
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

async function signWithOne({ positionals: [keyId = ''], context }: Input<unknown>): Promise<CommandOutcome> {
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

async function revokeOne({ positionals: [keyId = ''], context }: Input<unknown>): Promise<CommandOutcome> {
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

/** Prints the public half of the current master key. Not a secret: it can seal but not open. */
async function showSealKey({ context }: Input<object>): Promise<CommandOutcome> {
  const read = readOperatorConfig(['masterKeys'], context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const text = sealKeyText(read.config.masterKeys);
  return done({ sealKey: text }, text);
}
