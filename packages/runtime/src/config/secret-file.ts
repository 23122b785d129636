// Reads a secret from a file. A secret that other users of the machine can read is no secret: such a file is refused.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type SecretFile =
  | { readonly ok: true; readonly text: string }
  /** Continues a sentence that begins with the name of the variable. Has neither the path nor the content. */
  | { readonly ok: false; readonly problem: string };

/** Variable that names the file of a secret: `SVC_KEY_PEPPER_FILE` for `SVC_KEY_PEPPER`. */
export const fileNameOf = (name: string): string => `${name}_FILE`;

const OTHERS = 0o077;
const MAX_BYTES = 65_536;

type Opened<Result> = { readonly ok: true; readonly value: Result } | { readonly ok: false; readonly problem: string };

/**
 * Reads the file without the white space around its content. `credentials` is the folder in which systemd hands over
 * credentials: systemd guards it, and marks its files as readable by the group.
 */
export function readSecretFile(file: string, credentials?: string): SecretFile {
  const read = withSecretFile(file, credentials, (handle) => readFileSync(handle, 'utf8').trim());
  if (!read.ok) return read;
  if (read.value === '') return { ok: false, problem: 'names an empty file: write the secret into it' };
  return { ok: true, text: read.value };
}

/** The problem of a file that something else reads later; undefined if only its owner may use it. */
export function secretFileProblem(file: string, credentials?: string): string | undefined {
  const read = withSecretFile(file, credentials, () => undefined);
  return read.ok ? undefined : read.problem;
}

function withSecretFile<Result>(
  file: string,
  credentials: string | undefined,
  work: (handle: number) => Result,
): Opened<Result> {
  let handle: number;
  try {
    // A pipe would wait for its writer.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (problem) {
    return { ok: false, problem: openProblem((problem as NodeJS.ErrnoException).code) };
  }
  try {
    const { size, mode, isFile } = statusOf(handle);
    if (!isFile) return { ok: false, problem: 'names something that is not a file: name a file' };
    if ((mode & OTHERS) !== 0 && !isInside(file, credentials))
      return { ok: false, problem: 'names a file that not only its owner may use: run `chmod 600` on it' };
    if (size > MAX_BYTES)
      return { ok: false, problem: `names a file of more than ${MAX_BYTES} bytes: write the secret alone into it` };
    return { ok: true, value: work(handle) };
  } finally {
    closeSync(handle);
  }
}

function statusOf(handle: number) {
  const status = fstatSync(handle);
  return { size: status.size, mode: status.mode, isFile: status.isFile() };
}

function openProblem(code: string | undefined): string {
  if (code === 'ENOENT')
    return 'names a file that does not exist: create it, or let `npm run svc -- init` write what is missing';
  if (code === 'EACCES') return 'names a file that this process may not read: give the file to the user of the process';
  return `names a file that can’t be opened (${code ?? 'no reason given'})`;
}

function isInside(file: string, folder: string | undefined): boolean {
  return Boolean(folder) && path.resolve(file).startsWith(`${path.resolve(folder ?? '')}${path.sep}`);
}
