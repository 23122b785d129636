// Checks that programs which share a secret have the same one, and that addresses of one thing are one address.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sealKeyTextFrom } from '@svc-pay/runtime/config';
import { identityKeyOf } from '../init/ed25519-keys.ts';
import { IDENTITY_FILE, PROGRAMS, type Program, SECRETS_FOLDER } from '../init/folder-layout.ts';
import { type Finding, findingsOf } from './finding.ts';
import { type Installation, listOf, settingOf } from './installation.ts';

/** Settings that must be equal in these programs. */
const SHARED: readonly (readonly [name: string, programs: readonly Program[]])[] = [
  ['SVC_KEY_PEPPER', ['api', 'admin', 'command']],
  ['SVC_MASTER_KEYS', ['webhooks', 'command']],
  ['SVC_SEAL_KEY', ['api', 'admin']],
  ['SVC_AUDIT_SIGNING_KEY', ['admin', 'command']],
  ['SVC_ENGINE_IDENTITY_KEYS', ['settlement', 'webhooks']],
  ['SVC_NETWORKS_FILE', ['api', 'settlement', 'command']],
  ['SVC_PAYOUT_APPROVERS', ['api', 'settlement']],
  ['SVC_PAYOUT_DELAY_HOURS', ['api', 'settlement']],
  ['SVC_ARCHIVE_DIR', ['settlement', 'command']],
];

export function checkAgreement(installation: Installation): readonly Finding[] {
  const findings = [
    ...SHARED.flatMap(([name, programs]) => checkShared(installation, name, programs)),
    ...checkSealKey(installation),
    ...checkInternalKey(installation),
    ...checkIdentity(installation),
    ...checkDatabases(installation),
  ];
  return findings.length > 0
    ? findings
    : [findingsOf('configuration', 'secrets').ok('The programs agree on what they share.')];
}

const differs = (name: string, message: string, advice: string) =>
  findingsOf('configuration', name).problem(message, advice);

function checkShared(installation: Installation, name: string, programs: readonly Program[]): readonly Finding[] {
  const present = programs.filter((program) => installation.environments.has(program));
  const values = new Set(present.map((program) => settingOf(installation, program, name)));
  if (values.size <= 1) return [];
  return [
    differs(name, `${name} differs between ${present.join(', ')}.`, 'Name the same value, or the same file, in each.'),
  ];
}

function checkSealKey(installation: Installation): readonly Finding[] {
  const [masterKeys, sealKey] = [
    settingOf(installation, 'webhooks', 'SVC_MASTER_KEYS'),
    settingOf(installation, 'api', 'SVC_SEAL_KEY'),
  ];
  if (masterKeys === undefined || sealKey === undefined || sealKeyTextFrom(masterKeys) === sealKey) return [];
  return [
    differs(
      'SVC_SEAL_KEY',
      'SVC_SEAL_KEY is not the public half of the first master key: webhooks could open nothing that the API seals.',
      'Set what `keys seal-key` prints in api.env and admin.env.',
    ),
  ];
}

function checkInternalKey(installation: Installation): readonly Finding[] {
  const shown = settingOf(installation, 'api', 'SVC_INTERNAL_KEY');
  const accepted = listOf(settingOf(installation, 'settlement', 'SVC_INTERNAL_KEYS'));
  if (shown === undefined || accepted.includes(shown)) return [];
  return [
    differs(
      'SVC_INTERNAL_KEY',
      'Settlement does not accept the SVC_INTERNAL_KEY of the API: up-to payments are not settled.',
      'Add the key of the API to SVC_INTERNAL_KEYS of settlement.',
    ),
  ];
}

function checkIdentity(installation: Installation): readonly Finding[] {
  const file = path.join(installation.folder, SECRETS_FOLDER, IDENTITY_FILE);
  const identity = existsSync(file) ? identityKeyOf(readFileSync(file, 'utf8')) : undefined;
  const accepted = listOf(settingOf(installation, 'settlement', 'SVC_ENGINE_IDENTITY_KEYS'));
  if (identity !== undefined && accepted.includes(identity)) return [];
  return [
    differs(
      'SVC_ENGINE_IDENTITY_KEYS',
      `SVC_ENGINE_IDENTITY_KEYS does not name the key in ${SECRETS_FOLDER}/${IDENTITY_FILE}: calls of the engine are refused.`,
      identity === undefined
        ? 'The file holds no Ed25519 key in PEM: copy it back.'
        : `If Restate was given another key, put that key into the file. Otherwise add ${identity} to the list.`,
    ),
  ];
}

/** One database for all, and a role of its own for each. */
function checkDatabases(installation: Installation): readonly Finding[] {
  const urls = PROGRAMS.map((program) => settingOf(installation, program, 'SVC_DATABASE_URL')).flatMap((text) =>
    text !== undefined && URL.canParse(text) ? [new URL(text)] : [],
  );
  const [places, users] = [
    new Set(urls.map(({ host, pathname }) => `${host}${pathname}`)),
    new Set(urls.map(({ username }) => username)),
  ];
  return [
    ...(places.size > 1
      ? [
          differs(
            'SVC_DATABASE_URL',
            'The programs use different databases.',
            'Name one host, port and database in all.',
          ),
        ]
      : []),
    ...(users.size < urls.length
      ? [
          differs(
            'SVC_DATABASE_URL',
            'Two programs log in as the same role.',
            'Give each the role that roles.sql makes for it.',
          ),
        ]
      : []),
  ];
}
