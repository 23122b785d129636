import { DE } from './de.ts';
import { EN } from './en.ts';
import type { OwnWords, Words } from './words.ts';

const TABLES: Readonly<Record<string, Words>> = { en: EN, de: DE };

/** The table of a language such as `de-AT`, English where there is none, with the merchant's own words on top. */
export function chooseWords(language: string, own: OwnWords = {}): Words {
  const table = TABLES[language.toLowerCase().split('-')[0] ?? ''] ?? EN;
  return { ...table, ...own, problems: { ...table.problems, ...own.problems } };
}

/** `{name}` is filled in; a name that is not known stays empty. */
export function fill(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
