// A folder of `svc init` as the doctor sees it: the settings of each program, with secrets read from their files.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { type Environment, fileNameOf } from '@svc-pay/runtime/config';
import { environmentFileOf, PROGRAMS, type Program } from '../init/folder-layout.ts';

export type Installation = {
  readonly folder: string;
  /** Programs whose environment file exists. */
  readonly environments: ReadonlyMap<Program, Environment>;
};

export function readInstallation(folder: string): Installation {
  const root = path.resolve(folder);
  const environments = new Map<Program, Environment>();
  for (const program of PROGRAMS) {
    const file = path.join(root, environmentFileOf(program));
    if (existsSync(file)) environments.set(program, parseEnv(readFileSync(file, 'utf8')));
  }
  return { folder: root, environments };
}

/** Text of a setting of a program, from its variable or its file; undefined if there is none or it can't be read. */
export function settingOf({ environments }: Installation, program: Program, name: string): string | undefined {
  const environment = environments.get(program) ?? {};
  const file = environment[fileNameOf(name)];
  if (!file) return environment[name] || undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export const listOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
