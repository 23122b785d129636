// Checks files of an installation: who may read them, what they lack, and what the operator still has to write.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { secretFileProblem } from '@svc-pay/runtime/config';
import { SERVICE_SETTINGS } from '@svc-pay/runtime/config/service-settings';
import {
  EVM_ADDRESS_PLACEHOLDER,
  environmentFileOf,
  NETWORKS_FILE,
  PLACEHOLDER,
  PROGRAMS,
  RELAYERS_FOLDER,
  SECRETS_FOLDER,
  SOLANA_ADDRESS_PLACEHOLDER,
} from '../init/folder-layout.ts';
import { type Finding, findingsOf } from './finding.ts';
import { type Installation, listOf } from './installation.ts';

const OTHERS = 0o077;
const NAMES_FILES = /(?:_FILE|_FILES|_KEYSTORES?)$/;
/** Here systemd shows files to one unit alone, while it runs. */
const CREDENTIALS = '/run/credentials/';

export function checkFolder(installation: Installation): readonly Finding[] {
  const findings = [
    ...checkModes(installation),
    ...checkNamedFiles(installation),
    ...checkForeign(installation),
    ...checkPlaceholders(installation),
  ];
  return findings.length > 0
    ? findings
    : [findingsOf('configuration', 'folder').ok('Files are closed to others, complete and filled in.')];
}

function checkModes({ folder, environments }: Installation): readonly Finding[] {
  const inside = [SECRETS_FOLDER, RELAYERS_FOLDER].flatMap((name) => {
    const directory = path.join(folder, name);
    return existsSync(directory) ? [name, ...readdirSync(directory).map((file) => path.join(name, file))] : [];
  });
  const needed = PROGRAMS.filter((program) => program !== 'console' || environments.has('console'));
  const files = ['.', ...inside, ...needed.map(environmentFileOf), NETWORKS_FILE];
  return files.flatMap((name) => {
    const file = path.join(folder, name);
    const { problem } = findingsOf('configuration', name);
    if (!existsSync(file)) return [problem(`${name} does not exist.`, 'Copy it back, or run `svc init` again.')];
    // Of a link, the file that it names: a link itself has no mode.
    const status = statSync(file);
    if ((status.mode & OTHERS) === 0) return [];
    const mode = status.isDirectory() ? '700' : '600';
    return [problem(`Others than its owner may use ${name}.`, `Run \`chmod ${mode} ${file}\`.`)];
  });
}

/** Files that the settings name, wherever they are. Values are never shown: people write the secret itself there. */
function checkNamedFiles({ environments }: Installation): readonly Finding[] {
  return [...environments].flatMap(([program, environment]) =>
    Object.entries(environment).flatMap(([name, value]) => {
      if (!NAMES_FILES.test(name) || name === 'SVC_AUDIT_EXPORT_FILE') return [];
      const files = listOf(value);
      return files.flatMap((file, index) => {
        const wrong = path.resolve(file).startsWith(CREDENTIALS) ? undefined : secretFileProblem(file);
        if (wrong === undefined) return [];
        const entry = files.length === 1 ? name : `${name}, entry ${index + 1},`;
        return [
          findingsOf('configuration', environmentFileOf(program)).problem(
            `${entry} ${wrong}.`,
            `Put right what ${name} names; its value is the path of a file.`,
          ),
        ];
      });
    }),
  );
}

function checkForeign({ environments }: Installation): readonly Finding[] {
  return [...environments].flatMap(([program, environment]) => {
    if (program === 'command') return [];
    const own: readonly string[] = SERVICE_SETTINGS[program];
    const foreign = Object.keys(environment).filter((name) => name.startsWith('SVC_') && !own.includes(name));
    return foreign.map((name) =>
      findingsOf('configuration', environmentFileOf(program)).problem(
        `${name} is no setting of ${program}.`,
        'Remove the line: a service that is taken over gives away what its environment holds.',
      ),
    );
  });
}

function checkPlaceholders({ folder }: Installation): readonly Finding[] {
  const texts = readdirSync(folder).filter((name) => /\.(?:env|ya?ml)$|^Caddyfile$/.test(name));
  const lines = texts.flatMap((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.includes(PLACEHOLDER) ? [`${name}:${index + 1}`] : [])),
  );
  return [...lines, ...placeholdersIn(path.join(folder, NETWORKS_FILE))].map((where) =>
    findingsOf('configuration', where).problem(
      `${where} is still a placeholder.`,
      'Write your own value, or remove the entry.',
    ),
  );
}

function placeholdersIn(networksFile: string): readonly string[] {
  let networks: unknown;
  try {
    networks = JSON.parse(readFileSync(networksFile, 'utf8'));
  } catch {
    // What can't be read is told with the settings.
    return [];
  }
  const isPlaceholder = (value: unknown) =>
    value === EVM_ADDRESS_PLACEHOLDER ||
    value === SOLANA_ADDRESS_PLACEHOLDER ||
    JSON.stringify(value).includes(PLACEHOLDER);
  return Object.entries((networks ?? {}) as Record<string, object>).flatMap(([network, setup]) =>
    Object.entries(setup)
      .filter(([, value]) => isPlaceholder(value))
      .map(([name]) => `${NETWORKS_FILE} ${network} ${name}`),
  );
}
