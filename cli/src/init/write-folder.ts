// Writes the folder of an installation. A file that exists is never changed: a lost secret is a lost installation, and
// settings are the operator's to edit.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { FileOwner, InitChoices } from './choices.ts';
import {
  ALERTMANAGER_FILE,
  ALERTS_FILE,
  CADDY_FILE,
  COMPOSE_FILE,
  composeText,
  PROMETHEUS_FILE,
  ROLES_FILE,
} from './compose.ts';
import { alertmanagerText, caddyText, prometheusText } from './edge-files.ts';
import { environmentFileText } from './environment-files.ts';
import {
  ARCHIVE_FOLDER,
  databaseSecretOf,
  environmentFileOf,
  NETWORKS_FILE,
  PROGRAMS,
  programsOf,
  RELAYERS_FOLDER,
  SECRETS_FOLDER,
} from './folder-layout.ts';
import { addressIn, evmKeyFiles, newKeyFile, solanaKeyFiles } from './key-files.ts';
import { networksFileText } from './networks-file.ts';
import { rolesSql } from './roles-sql.ts';
import { completeSecrets, type SecretFiles, secretOf } from './secrets.ts';

export type WrittenFolder =
  | {
      readonly ok: true;
      readonly written: readonly string[];
      readonly kept: readonly string[];
      /** Addresses of relayers and of the recovery key, by file. */
      readonly addresses: Readonly<Record<string, string>>;
    }
  /**
   * Nothing was changed. `missing`: the folder was complete once, and these secrets are gone. `empty`: these files of
   * secrets hold none. `foreign`: the folder holds something, and nothing of ours.
   */
  | { readonly ok: false; readonly code: 'missing' | 'empty'; readonly files: readonly string[] }
  | { readonly ok: false; readonly code: 'foreign' };

const OWNER_ONLY = 0o600;
/** Containers of others read these as users of their own. None holds a secret, and the folder is closed. */
const READABLE = 0o644;
/** Written last: where it is, every secret was. */
const LAST_FILE = environmentFileOf('command');
const CONSOLE_FILE = environmentFileOf('console');
const FOLDERS: readonly string[] = [SECRETS_FOLDER, RELAYERS_FOLDER, ARCHIVE_FOLDER];
/** End of the name of a file that is being written. A run that was ended leaves it behind, with a secret in it. */
const STAGING = /\.[0-9a-f]{16}\.staging$/;
const ALERT_RULES = new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url);

export async function writeFolder(choices: InitChoices): Promise<WrittenFolder> {
  const { folder, owner } = choices;
  if (await isForeign(choices)) return { ok: false, code: 'foreign' };
  const complete = existsSync(path.join(folder, LAST_FILE));
  const existing = await existingSecrets(choices);
  const empty = [...existing].flatMap(([name, secret]) => (secret === '' ? [path.join(SECRETS_FOLDER, name)] : []));
  if (empty.length > 0) return { ok: false, code: 'empty', files: empty };
  const secrets = completeSecrets(choices, existing);
  // A console that is added later has made none before.
  const isNew = (name: string) => name === databaseSecretOf('console') && !existsSync(path.join(folder, CONSOLE_FILE));
  const missing = [...secrets.keys()].filter((name) => !existing.has(name) && !isNew(name));
  if (complete && missing.length > 0)
    return { ok: false, code: 'missing', files: missing.map((name) => path.join(SECRETS_FOLDER, name)) };

  // Folders above are not ours to close.
  await mkdir(path.dirname(folder), { recursive: true });
  for (const name of ['.', ...FOLDERS]) await ensureFolder(path.join(folder, name), owner);
  const [written, kept]: [string[], string[]] = [[], []];
  const write = async (name: string, make: () => string | Promise<string>, mode = OWNER_ONLY) => {
    const file = path.join(folder, name);
    if (existsSync(file)) kept.push(name);
    else {
      await writeNew(file, await make(), mode, owner);
      written.push(name);
    }
  };
  for (const [name, secret] of secrets) await write(path.join(SECRETS_FOLDER, name), () => `${secret.trimEnd()}\n`);
  // In a folder that was complete, settlement.env says which keys there are: they may be in a KMS by now.
  const keyFiles = complete ? [] : [...evmKeyFiles(choices), ...solanaKeyFiles(choices)];
  const password = secretOf(secrets, 'relayer-password');
  for (const file of keyFiles) await write(path.relative(folder, file), () => newKeyFile(file, password));
  for (const { name, make, mode } of derivedFiles(choices, secrets)) await write(name, make, mode);
  for (const program of programsOf(choices))
    await write(environmentFileOf(program), () => environmentFileText(program, choices, secrets));
  return { ok: true, written, kept, addresses: await addressesIn(folder, keyFiles) };
}

type DerivedFile = { readonly name: string; readonly make: () => string | Promise<string>; readonly mode?: number };

function derivedFiles(choices: InitChoices, secrets: SecretFiles): readonly DerivedFile[] {
  return [
    // RPC addresses often carry the key of a provider.
    { name: NETWORKS_FILE, make: () => networksFileText(choices.chains) },
    { name: ROLES_FILE, make: () => rolesSql(secrets), mode: READABLE },
    ...(choices.form === 'server'
      ? []
      : [
          { name: COMPOSE_FILE, make: () => composeText(choices), mode: READABLE },
          { name: CADDY_FILE, make: () => caddyText(choices), mode: READABLE },
          { name: PROMETHEUS_FILE, make: () => prometheusText(choices), mode: READABLE },
          { name: ALERTS_FILE, make: () => readFile(ALERT_RULES, 'utf8'), mode: READABLE },
          { name: ALERTMANAGER_FILE, make: alertmanagerText, mode: READABLE },
        ]),
  ];
}

/** A folder of somebody else, such as /etc, is not ours to close to others. */
async function isForeign(choices: InitChoices): Promise<boolean> {
  const { folder } = choices;
  if (!existsSync(folder)) return false;
  // The root of a volume of its own is empty but for `lost+found`.
  const found = (await readdir(folder)).filter((name) => name !== 'lost+found');
  if (found.length === 0) return false;
  // A first run that ended early has made nothing but folders, that of secrets first.
  if (found.includes(SECRETS_FOLDER) && found.every((name) => FOLDERS.includes(name))) return false;
  const secrets = [...completeSecrets(choices, new Map()).keys()].map((name) => path.join(SECRETS_FOLDER, name));
  return ![...secrets, ...PROGRAMS.map(environmentFileOf)].some((name) => existsSync(path.join(folder, name)));
}

async function existingSecrets(choices: InitChoices): Promise<SecretFiles> {
  const found = new Map<string, string>();
  for (const name of completeSecrets(choices, new Map()).keys()) {
    const file = path.join(choices.folder, SECRETS_FOLDER, name);
    if (existsSync(file)) found.set(name, (await readFile(file, 'utf8')).trim());
  }
  return found;
}

/** Closes a folder that exists as well: what it holds is for its owner alone. */
async function ensureFolder(directory: string, owner: FileOwner): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  await give(directory, owner);
  const stale = (await readdir(directory)).filter((name) => STAGING.test(name));
  for (const name of stale) await rm(path.join(directory, name), { force: true });
}

/** The file appears whole, or not at all, and never replaces another one. */
async function writeNew(file: string, text: string, mode: number, owner: FileOwner): Promise<void> {
  const staging = `${file}.${randomBytes(8).toString('hex')}.staging`;
  try {
    await using handle = await open(staging, 'wx', mode);
    await handle.writeFile(text);
    await handle.chmod(mode);
    await handle.sync();
    await give(staging, owner);
    await link(staging, file);
  } finally {
    await rm(staging, { force: true });
  }
}

async function give(file: string, { uid, gid }: FileOwner): Promise<void> {
  if (uid !== process.getuid?.() || gid !== process.getgid?.()) await chown(file, uid, gid);
}

async function addressesIn(folder: string, files: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const pairs = files.map(async (file) => [path.relative(folder, file), addressIn(file, await readFile(file, 'utf8'))]);
  return Object.fromEntries((await Promise.all(pairs)) as [string, string][]);
}
