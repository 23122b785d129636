// Where the answer of a seller is written. The file is there before anything is paid, so that a folder that is missing or a
// missing right costs nothing; its old content stays until the answer has come.
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';

export function answerFile(file: string) {
  const isNew = !existsSync(file);
  const tried = tryFile(file, () => closeSync(openSync(file, 'a')));
  if (tried !== undefined) return { ok: false, problem: tried } as const;
  return {
    ok: true,
    /** What went wrong, if anything. */
    fill: (body: Uint8Array) => tryFile(file, () => writeFileSync(file, body)),
    /** Without an answer no empty file stays. */
    leave: () => (isNew ? tryFile(file, () => rmSync(file, { force: true })) : undefined),
  } as const;
}

function tryFile(file: string, act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (problem) {
    return `${file} can’t be written (${(problem as NodeJS.ErrnoException).code ?? 'unknown'}).`;
  }
}
