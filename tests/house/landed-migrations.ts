// A migration that has landed never changes: databases were migrated by it. `packages/postgres/migrations/digests` lists every
// landed file (`sha256sum *.sql` in that folder), and a commit may only append to the list of the commit before it. One commit
// was allowed more: the one that replaced the migrations of development with the baseline, before the first release.
import { createHash } from 'node:crypto';

export type LandedMigration = { readonly file: string; readonly digest: string };

/** SHA-256 of the list of the baseline, in the form of the file `digests`. */
const BASELINE = '55a01a04e07ba75bfd3529bf3aaa90a677f1179626497f0fbfa80c7c3e2ddb4b';
/** The first migration before the baseline, which had the name of today's first one. */
const BEFORE_BASELINE = '6b612d6ea776a8d25489c839af126ca61efb88e7516ea1f78abb94840797706f';

const digestOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

export function landedMigrations(files: ReadonlyMap<string, string | Uint8Array>): readonly LandedMigration[] {
  return [...files]
    .filter(([file]) => file.endsWith('.sql'))
    .map(([file, text]) => ({ file, digest: digestOf(text) }))
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

/** As `sha256sum` prints them. */
export const digestLines = (migrations: readonly LandedMigration[]): string =>
  migrations.map(({ file, digest }) => `${digest}  ${file}\n`).join('');

/** What keeps a list from being the one before with files appended. Empty: it is. */
export function changedMigrations(before: readonly LandedMigration[], after: readonly LandedMigration[]): string[] {
  return before.flatMap(({ file, digest }, index) => {
    const now = after[index];
    if (now?.file !== file) return [`${file} landed before, and ${now?.file ?? 'nothing'} is in its position now`];
    return now.digest === digest ? [] : [`${file} has changed since it landed: write another migration`];
  });
}

/** True for the commit that wrote the baseline, and for no other: a database of the commit before can't be upgraded to it. */
export function startsBaseline(before: readonly LandedMigration[], after: readonly LandedMigration[]): boolean {
  return before[0]?.digest === BEFORE_BASELINE && digestOf(digestLines(after)) === BASELINE;
}
