// Checks files of an installation: who may read them, what they lack, and what the operator still has to write.
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
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

function checkModes({ folder }: Installation): readonly Finding[] {
  const inside = [SECRETS_FOLDER, RELAYERS_FOLDER].flatMap((name) => {
    const directory = path.join(folder, name);
    return existsSync(directory) ? [name, ...readdirSync(directory).map((file) => path.join(name, file))] : [];
  });
  const files = ['.', ...inside, ...PROGRAMS.map(environmentFileOf), NETWORKS_FILE];
  return files.flatMap((name) => {
    const file = path.join(folder, name);
    const { problem } = findingsOf('configuration', name);
    if (!existsSync(file)) return [problem(`${name} does not exist.`, 'Copy it back, or run `svc init` again.')];
    const status = lstatSync(file);
    if ((status.mode & OTHERS) === 0 || status.isSymbolicLink()) return [];
    const mode = status.isDirectory() ? '700' : '600';
    return [problem(`Others than its owner may use ${name}.`, `Run \`chmod ${mode} ${file}\`.`)];
  });
}

/** Files that the settings name, wherever they are. */
function checkNamedFiles({ environments }: Installation): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [program, environment] of environments)
    for (const [name, value] of Object.entries(environment))
      for (const file of /(?:_FILE|_FILES|_KEYSTORES?)$/.test(name) ? listOf(value) : []) {
        const wrong = name === 'SVC_AUDIT_EXPORT_FILE' ? undefined : secretFileProblem(file);
        if (wrong !== undefined)
          findings.push(
            findingsOf('configuration', environmentFileOf(program)).problem(`${name} ${wrong}.`, `Put ${file} right.`),
          );
      }
  return findings;
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
