import type { Settings } from './setting.ts';

/** A group of settings as a Markdown table. */
export function settingsTable(group: Settings): string {
  const rows = Object.values(group).map(({ name, form, fallback, optional, secret, about }) => {
    const absent = fallback === undefined ? (optional ? 'nothing' : '**required**') : `\`${fallback}\``;
    return `| \`${name}\` | ${secret ? 'secret; ' : ''}${form} | ${absent} | ${about} |`;
  });
  return ['| Variable | Form | When absent | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}
