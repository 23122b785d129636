import { readFileSync } from 'node:fs';
import type { CaseFile, Violation } from './case-file.ts';

/** No process wrote a secret down: not the keys it was given, nor what payers signed. */
export function checkLogs({ run, record }: CaseFile): readonly Violation[] {
  const { logFiles, secrets } = run.setting;
  const signatures = record.signatures.map(({ signature }) => signature.toString('hex'));
  return logFiles.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const shown = [...secrets, ...signatures].filter((secret) => text.includes(secret)).length;
    return shown === 0 ? [] : [{ rule: 'secrets', text: `${shown} secrets stand in ${file}` }];
  });
}
