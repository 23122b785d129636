import { readFileSync } from 'node:fs';
import type { CaseFile, Violation } from './case-file.ts';

const SIGNATURE_LIKE = /[0-9a-f]{128,}/g;

/** No process wrote a secret down: not the keys it was given, nor what payers signed. */
export function checkLogs({ run, record }: CaseFile): readonly Violation[] {
  const { logFiles, secrets } = run.setting;
  const signatures = record.signatures.map(({ signature }) => signature.toString('hex'));
  return logFiles.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    // Signatures are many and logs are long: they are looked for in what is long enough to hold one.
    const long = (text.match(SIGNATURE_LIKE) ?? []).join('\n');
    const shown =
      secrets.filter((secret) => text.includes(secret)).length +
      signatures.filter((signature) => long.includes(signature)).length;
    return shown === 0 ? [] : [{ rule: 'secrets', text: `${shown} secrets stand in ${file}` }];
  });
}
