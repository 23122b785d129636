import { fileNameOf } from './secret-file.ts';
import type { Settings } from './setting.ts';

/** A group of settings as a Markdown table. Every secret also has its variable for a file. */
export function settingsTable(group: Settings): string {
  const rows = Object.values(group).map(({ name, form, fallback, optional, secret, about }) => {
    const absent = fallback === undefined ? (optional ? 'nothing' : '**required**') : `\`${fallback}\``;
    const names = secret ? `\`${name}\` or \`${fileNameOf(name)}\`` : `\`${name}\``;
    return `| ${names} | ${secret ? 'secret; ' : ''}${form} | ${absent} | ${about} |`;
  });
  return ['| Variable | Form | When absent | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}
