import { isoTime, KEY_SCOPES, type KeyKind, type Mode, readScopes } from '@svc-pay/core';
import type { RevokedKey } from '@svc-pay/postgres/operator';
import { isId } from '@svc-pay/protocol/ids';
import { sealKeyText } from '@svc-pay/runtime/config';
import { Command, Option } from 'commander';
import type { Input } from '../command/context.ts';
import { accountOption, COMMAND, leaf, modeOption, runs, type Surroundings } from '../command/leaf.ts';
import { withAdmin } from '../command/with-admin.ts';
import { misconfigured } from '../command/with-operation.ts';
import { readOperatorConfig } from '../config.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { table } from '../output/table.ts';
import { shownTime, timeOrNull } from '../output/times.ts';
import { readDurationMs } from './duration.ts';
import { keysRehashCommand } from './keys-rehash.ts';
import { keysResealCommand } from './keys-reseal.ts';
import { unknownAccount, unknownKey } from './refusals.ts';
import { SHOWN_ONCE, shownKeys } from './shown-key.ts';

type Create = { readonly account: string; readonly mode: Mode; readonly kind: KeyKind; readonly scopes?: string };
type Revoke = { readonly now?: boolean };
type Roll = { readonly account: string; readonly mode: Mode; readonly overlap: string };
type List = { readonly account?: string; readonly mode?: Mode };

const MAX_OVERLAP_MS = 7 * 86_400_000;
const SCOPE_PROBLEMS = {
  scope_unknown: `The scopes of a key are ${KEY_SCOPES.join(', ')}: name one or several, with commas.`,
  scope_not_of_kind: 'A publishable key is on the open web: it may read, create and charge.',
};

export function keysCommand(surroundings: Surroundings): Command {
  const create = leaf(
    'create',
    'Create another key. A new secret key signs webhooks only if the account has no signing key in this mode and ' +
      'the key has no scopes.',
    [
      'keys create --account acct_… --mode test --kind publishable',
      'keys create --account acct_… --mode live --kind secret --scopes read,webhooks',
    ],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .addOption(
      new Option('--kind <kind>', 'publishable or secret').choices(['publishable', 'secret']).makeOptionMandatory(),
    )
    .option(
      '--scopes <names>',
      'what the key may do: read, create, charge, refund, webhooks (default: all of its kind)',
    )
    .action(runs(surroundings, createOne));
  const list = leaf(
    'list',
    'Show the last characters of each key, its scopes, whether it is valid, when it was last used, and which key ' +
      'signs webhooks.',
    ['keys list --account acct_…', 'keys list --mode live --json'],
  )
    .addOption(accountOption())
    .addOption(modeOption())
    .action(runs(surroundings, listAll));
  const roll = leaf(
    'roll',
    'Create a secret key that replaces the signing key. The old key stays valid and signs webhooks until the ' +
      'overlap ends or `keys sign-with` switches.',
    ['keys roll --account acct_… --mode live', 'keys roll --account acct_… --mode live --overlap 0'],
  )
    .addOption(accountOption().makeOptionMandatory())
    .addOption(modeOption().makeOptionMandatory())
    .option('--overlap <time>', 'how long the old key stays valid: 0 to 7d, such as 90s, 30m, 24h', '24h')
    .action(runs(surroundings, rollOne));
  const signWith = leaf('sign-with', 'Sign webhooks with this secret key from now on.', ['keys sign-with key_…'])
    .argument('<key>', 'id of the key')
    .action(runs(surroundings, signWithOne));
  const revoke = leaf(
    'revoke',
    'Revoke a key at once and for good. Replace the signing key with `keys roll` first, or revoke it with --now ' +
      'if it has leaked: then the newest other secret key signs webhooks.',
    ['keys revoke key_…', 'keys revoke key_… --now'],
  )
    .argument('<key>', 'id of the key')
    .option('--now', 'revoke it even if it signs webhooks')
    .action(runs(surroundings, revokeOne));
  const sealKey = leaf(
    'seal-key',
    'Print the public half of the master key, for SVC_SEAL_KEY of the API. It encrypts the secrets of endpoints ' +
      'and decrypts nothing.',
    ['keys seal-key'],
  ).action(runs(surroundings, showSealKey));
  const group = new Command('keys').description('Make, roll and revoke API keys.');
  const rotations = [keysResealCommand(surroundings), keysRehashCommand(surroundings)];
  for (const command of [create, list, roll, signWith, revoke, sealKey, ...rotations]) group.addCommand(command);
  return group;
}

async function createOne({ options, context }: Input<Create>): Promise<CommandOutcome> {
  const { account: accountId, mode, kind } = options;
  const scopes = options.scopes === undefined ? null : readScopes(kind, options.scopes.split(','));
  if (scopes?.ok === false) return misused(SCOPE_PROBLEMS[scopes.code]);
  return withAdmin(context, { makesKeys: true }, async (admin) => {
    const made = await admin.createKey({ accountId, mode, kind, scopes: scopes?.scopes ?? null });
    if (!made.ok) return unknownAccount(accountId);
    const { key, signs } = made;
    return done(
      { key: { ...key, signs } },
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
  return withAdmin(context, { makesKeys: true }, async (admin) => {
    const result = await admin.rollKey({ accountId, mode, overlapMs });
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
    const { key, rolled, expiresAtMs } = result;
    const next =
      overlapMs === 0
        ? `The old key ${rolled.id} (${rolled.hint}) has ended; the new one signs webhooks.`
        : `The old key ${rolled.id} (${rolled.hint}) works and signs webhooks until ${shownTime(expiresAtMs)} UTC.\n` +
          `When the merchant verifies with the new one: \`${COMMAND} keys sign-with ${key.id}\`.`;
    return done(
      {
        key: { ...key, signs: overlapMs === 0 },
        rolled: { id: rolled.id, hint: rolled.hint, expiresAt: isoTime(expiresAtMs) },
      },
      [shownKeys([key], context.paint), '', context.paint.warn(SHOWN_ONCE), next].join('\n'),
    );
  });
}

async function listAll({ options, context }: Input<List>): Promise<CommandOutcome> {
  return withAdmin(context, {}, async (admin) => {
    const { account: accountId, mode } = options;
    const { keys } = await admin.listKeys({ accountId, mode });
    const text = table(
      keys,
      [
        { head: 'ACCOUNT', cell: (key) => key.accountId },
        { head: 'MODE', cell: (key) => key.mode },
        { head: 'KEY', cell: (key) => key.id },
        { head: 'KIND', cell: (key) => key.kind },
        { head: 'TEXT', cell: (key) => key.publishableText ?? key.hint },
        { head: 'SCOPES', cell: (key) => key.scopes?.join(',') ?? 'all' },
        { head: 'STATE', cell: (key) => key.state },
        { head: 'SIGNS', cell: (key) => (key.signs ? 'yes' : '') },
        { head: 'USED (UTC)', cell: (key) => (key.lastUsedAtMs === null ? '' : shownTime(key.lastUsedAtMs)) },
        { head: 'UNTIL (UTC)', cell: (key) => (key.expiresAtMs === null ? '' : shownTime(key.expiresAtMs)) },
      ],
      context.paint,
    );
    const data = keys.map(({ createdAtMs, expiresAtMs, lastUsedAtMs, ...key }) => ({
      ...key,
      createdAt: isoTime(createdAtMs),
      expiresAt: timeOrNull(expiresAtMs),
      lastUsedAt: timeOrNull(lastUsedAtMs),
    }));
    return done({ keys: data }, keys.length === 0 ? 'There are no such keys.' : text);
  });
}

const SIGNER_PROBLEMS = {
  key_not_secret: () => 'Only a secret key can sign.',
  key_has_scopes: () => 'A key with scopes is made to be handed on, and does not sign.',
  key_not_usable: (keyId: string) => `Key ${keyId} is revoked or has expired.`,
};

async function signWithOne({ positionals: [keyId = ''], context }: Input<unknown>): Promise<CommandOutcome> {
  if (!isId('key', keyId)) return unknownKey();
  return withAdmin(context, {}, async (admin) => {
    const result = await admin.signWithKey({ keyId });
    if (!result.ok) {
      if (result.code === 'key_unknown') return unknownKey();
      const message = SIGNER_PROBLEMS[result.code](keyId);
      return failed(result.code, message, `Choose a usable secret key from \`${COMMAND} keys list\`.`);
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

async function revokeOne({ options, positionals: [keyId = ''], context }: Input<Revoke>): Promise<CommandOutcome> {
  if (!isId('key', keyId)) return unknownKey();
  return withAdmin(context, {}, async (admin) => {
    const result = await admin.revokeKey({ keyId, now: options.now ?? false });
    if (!result.ok) {
      if (result.code === 'key_unknown') return unknownKey();
      return failed(
        result.code,
        `Key ${keyId} signs webhooks, so it can't go yet.`,
        `Roll it (\`${COMMAND} keys roll\`), or let another key sign (\`${COMMAND} keys sign-with\`), then ` +
          'revoke it. If it has leaked, revoke it with --now.',
      );
    }
    const { owner, changed, signed, signsNext } = result;
    const text = changed
      ? [`Key ${keyId} is revoked. Processes that remember it stop taking it within a second.`, ...afterSigner(result)]
      : [`Key ${keyId} was revoked before.`];
    return done({ ...owner, keyId, changed, signed, signsNext }, text.join('\n'));
  });
}

/** What follows when the key that signed webhooks is gone. */
function afterSigner({ owner, signed, signsNext }: Extract<RevokedKey, { ok: true }>): readonly string[] {
  if (!signed) return [];
  if (signsNext === null)
    return [
      'It signed webhooks, and no other key can: deliveries wait and are repeated for days.',
      `Make one: \`${COMMAND} keys create --account ${owner.accountId} --mode ${owner.mode} --kind secret\`.`,
    ];
  return [
    `It signed webhooks. From now on ${signsNext} does: tell the merchant to verify with that key.`,
    'Deliveries that the merchant’s server refuses meanwhile are repeated for days.',
  ];
}

/** Prints the public half of the current master key. Not a secret: it can seal but not open. */
async function showSealKey({ context }: Input<object>): Promise<CommandOutcome> {
  const read = readOperatorConfig(['masterKeys'], context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const text = sealKeyText(read.config.masterKeys);
  return done({ sealKey: text }, text);
}
