// The commands of docs/operate/restore.md, so that a drill types what the page tells its reader to type. A command that the
// page no longer has stops the drill.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fencesOf } from '../../../tools/docs/fences.ts';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/operate/restore.md');

/** Arguments of the page's one command that begins with `start` and ends with `end`. */
export function commandOfPage(start: string, end: string): readonly string[] {
  const lines = blocks('sh').flatMap((text) => text.split('\n').map((line) => line.trim()));
  const found = lines.filter((line) => line.startsWith(`${start} `) && line.endsWith(end));
  const [command] = found;
  if (command === undefined || found.length > 1)
    throw new Error(`restore.md has ${found.length} commands "${start} … ${end}"`);
  // Quoted text is one argument.
  return [...command.slice(start.length).matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));
}

/** Arguments of the operator's command, `npm run svc -- …`. */
export const svcOfPage = (end: string): readonly string[] => commandOfPage('npm run svc --', end);

/** The page's one question to PostgreSQL. */
export function questionOfPage(): string {
  const [question, ...more] = blocks('sql').filter((text) => text.includes('pg_stat_archiver'));
  if (question === undefined || more.length > 0)
    throw new Error('restore.md asks nothing, or more, of pg_stat_archiver');
  return question;
}

function blocks(language: string): readonly string[] {
  const fences = fencesOf(readFileSync(PAGE, 'utf8'));
  return fences.filter(({ info }) => info === language).map(({ body }) => body);
}
