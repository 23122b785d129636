import type pg from 'pg';

/** Fails unless the server really waits for its disk. */
export async function durableSettings(client: pg.ClientBase | pg.Pool): Promise<Record<string, string>> {
  const settings: Record<string, string> = {};
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await client.query<Record<string, string>>(`show ${name}`);
    settings[name] = rows[0]?.[name] ?? 'unknown';
    if (settings[name] !== 'on') throw new Error(`${name} is ${settings[name]}`);
  }
  return settings;
}
