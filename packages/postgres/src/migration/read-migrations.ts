import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export type Migration = {
  /** File name without `.sql`: four digits, then a description. Names sort in the order of application. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
  /** False for statements that PostgreSQL refuses inside a transaction, such as `create index concurrently`. */
  readonly inTransaction: boolean;
};

const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;
const NO_TRANSACTION = '-- migrate: no transaction';

/** Every `.sql` file of `directory`, in order. Throws on an invalid file name and on a number that is used twice. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).toSorted();
  const odd = files.find((file, index) => !FILE_NAME.test(file) || file.slice(0, 4) === files[index - 1]?.slice(0, 4));
  if (odd !== undefined) throw new Error(`${odd}: a migration is called NNNN_name.sql, and no two share a number`);
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(path.join(directory, file), 'utf8');
      return {
        name: path.basename(file, '.sql'),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        inTransaction: !sql.startsWith(NO_TRANSACTION),
      };
    }),
  );
}
