import { expect, test } from 'vitest';
import { followChanges, LONGEST_MS, LOOK_AFTER_MS } from './follow-changes.ts';
import { EVERY_ACCOUNT, type ReadChanges } from './read-changes.ts';
import { settingsCache } from './settings-cache.ts';

type Row = { readonly account: string; readonly value: string };
type Held = 'looks' | 'answers' | 'both';
type Wish = { readonly maxEntries?: number; readonly maxAccounts?: number; readonly lifeMs?: number };

/** A database with rows and a version, a clock, and a process that remembers rows by their name. */
function createWorld({ maxEntries = 100, maxAccounts = 100, lifeMs = 60_000 }: Wish = {}) {
  const rows = new Map<string, Row>();
  const changedAt = new Map<string, number>();
  const problems: unknown[] = [];
  const asked: string[] = [];
  const world = { nowMs: 1_000, version: 7, looks: 0, down: false };
  // What is read is fixed when the statement is sent; `hold` delays its answer.
  let held: (PromiseWithResolvers<void> & { readonly what: Held }) | undefined;
  const answer = async <Value>(kind: Held, read: () => Value): Promise<Value> => {
    const value = read();
    if (held?.what === kind || held?.what === 'both') await held.promise;
    return value;
  };
  const changes = followChanges({
    read: (above) => {
      world.looks += 1;
      if (world.down) return Promise.reject(new Error('no database'));
      return answer(
        'looks',
        (): ReadChanges => ({
          version: world.version,
          changed: [...changedAt].filter(([, at]) => above !== undefined && at > above).map(([account]) => account),
        }),
      );
    },
    nowMs: () => world.nowMs,
    maxAccounts,
    onProblem: (problem) => problems.push(problem),
  });
  const find = settingsCache(
    { changes, nowMs: () => world.nowMs, lifeMs, maxEntries },
    {
      keyOf: (name: string) => name,
      accountOf: (_, row: Row) => row.account,
      ask: (name) => {
        asked.push(name);
        return answer('answers', () => rows.get(name));
      },
    },
  );
  const write = (name: string, account: string, value: string) => {
    world.version += 1;
    rows.set(name, { account, value });
    changedAt.set(account, world.version);
  };
  return {
    world,
    asked,
    problems,
    changes,
    find: async (name: string) => (await find(name))?.value,
    write,
    changeAll: () => {
      world.version += 1;
      changedAt.set(EVERY_ACCOUNT, world.version);
    },
    /** As the database was some changes ago. */
    putBack: (count: number) => {
      world.version -= count;
      for (const [account, at] of changedAt) if (at > world.version) changedAt.delete(account);
    },
    hold: (what: Held = 'both') => {
      const now = { ...Promise.withResolvers<void>(), what };
      held = now;
      return () => {
        held = undefined;
        now.resolve();
      };
    },
  };
}

test('what was found is remembered, also while its process looks for changes, until its life is over', async () => {
  const { world, asked, find, write } = createWorld({ lifeMs: 10_000 });
  write('a', 'acct_1', '1');
  for (; world.nowMs < 10_999; world.nowMs += 37) expect(await find('a')).toBe('1');
  expect(asked).toEqual(['a']);
  world.nowMs = 11_000;
  expect(await find('a')).toBe('1');
  expect(asked).toEqual(['a', 'a']);
});

test('a change of an account is in effect for a request that arrives a tenth of a second later', async () => {
  const { world, asked, find, write } = createWorld();
  write('a', 'acct_1', '1');
  write('b', 'acct_2', '1');
  expect([await find('a'), await find('b')]).toEqual(['1', '1']);
  write('a', 'acct_1', '2');
  expect(await find('a')).toBe('1');
  world.nowMs += 100;
  expect([await find('a'), await find('b')]).toEqual(['2', '1']);
  expect(asked).toEqual(['a', 'b', 'a']);
});

test('under steady requests no request waits for a look, and a change is in effect in time', async () => {
  const { world, changes, find, write } = createWorld();
  write('a', 'acct_1', '1');
  await find('a');
  for (let step = 0; step < 100; step += 1) {
    world.nowMs += 5;
    expect(changes.areKnown()).toBe(true);
    expect(await find('a')).toBe('1');
  }
  expect(world.looks).toBeLessThanOrEqual(500 / LOOK_AFTER_MS + 2);
  write('a', 'acct_1', '2');
  const changedMs = world.nowMs;
  while ((await find('a')) !== '2') world.nowMs += 5;
  expect(world.nowMs - changedMs).toBeLessThanOrEqual(LONGEST_MS);
});

test('while nobody asks, the process does not look for changes', async () => {
  const { world, find, write } = createWorld();
  write('a', 'acct_1', '1');
  await find('a');
  const { looks } = world;
  world.nowMs += 3_600_000;
  await new Promise((resolve) => setTimeout(resolve, LOOK_AFTER_MS * 2));
  expect(world.looks).toBe(looks);
});

test('an answer that was read before a change is not remembered after it', async () => {
  const { world, find, write, hold } = createWorld();
  write('a', 'acct_1', '1');
  write('b', 'acct_2', '1');
  await find('b');
  const release = hold();
  const early = find('a');
  write('a', 'acct_1', '2');
  world.nowMs += LONGEST_MS + 1;
  // Begins a look that sees the change, while the answer is under way.
  const later = find('a');
  release();
  expect([await early, await later]).toEqual(['1', '2']);
  expect(await find('a')).toBe('2');
});

test('an answer that arrives after a look that saw a change of its account is not remembered', async () => {
  const { world, find, write, hold } = createWorld();
  write('a', 'acct_1', '1');
  write('b', 'acct_2', '1');
  await find('b');
  const release = hold('answers');
  const early = find('a');
  write('a', 'acct_1', '2');
  world.nowMs += LONGEST_MS + 1;
  // The look of this request sees the change.
  expect(await find('b')).toBe('1');
  release();
  expect(await early).toBe('1');
  expect(await find('a')).toBe('2');
});

test('a request does not share an answer that was asked for before a change', async () => {
  const { world, asked, find, write, hold } = createWorld();
  write('a', 'acct_1', '1');
  write('b', 'acct_2', '1');
  await find('b');
  const release = hold('answers');
  const early = find('a');
  write('a', 'acct_1', '2');
  world.nowMs += LONGEST_MS + 1;
  const later = find('a');
  await expect.poll(() => asked).toEqual(['b', 'a', 'a']);
  release();
  expect([await early, await later, await find('a')]).toEqual(['1', '2', '2']);
});

test('a look that was late is as old as its beginning', async () => {
  const { world, find, write, hold } = createWorld();
  write('a', 'acct_1', '1');
  await find('a');
  world.nowMs += LONGEST_MS + 1;
  const release = hold('looks');
  const first = find('a');
  write('a', 'acct_1', '2');
  world.nowMs += LONGEST_MS + 1;
  release();
  expect([await first, await find('a')]).toEqual(['1', '2']);
});

test('a request does not use a look that began too long before it, however late the look answers', async () => {
  const { world, find, write, hold } = createWorld();
  write('a', 'acct_1', '1');
  await find('a');
  world.nowMs += LONGEST_MS + 1;
  const release = hold();
  const first = find('a');
  write('a', 'acct_1', '2');
  world.nowMs += LONGEST_MS + 1;
  const second = find('a');
  release();
  expect([await first, await second]).toEqual(['1', '2']);
});

test('while looks fail nothing is remembered, one problem is told, and what is found is remembered again afterwards', async () => {
  const { world, asked, problems, find, write } = createWorld();
  write('a', 'acct_1', '1');
  await find('a');
  world.down = true;
  world.nowMs += LONGEST_MS + 1;
  expect([await find('a'), await find('a'), await find('a')]).toEqual(['1', '1', '1']);
  expect(asked).toHaveLength(4);
  expect(problems).toHaveLength(1);
  world.down = false;
  // Begins the look that succeeds, and does not wait for it.
  await find('a');
  await new Promise(setImmediate);
  expect([await find('a'), await find('a')]).toEqual(['1', '1']);
  expect(asked).toHaveLength(6);
});

test('a request waits for a look that does not answer for half a second, and the requests after it do not wait', async () => {
  const { world, asked, changes, find, write, hold } = createWorld();
  write('a', 'acct_1', '1');
  await find('a');
  world.nowMs += LONGEST_MS + 1;
  const release = hold();
  const late = find('a');
  expect(asked).toHaveLength(1);
  await expect.poll(() => asked.length, { timeout: 2_000 }).toBe(2);
  expect(changes.areKnown()).toBe(false);
  release();
  expect(await late).toBe('1');
});

test('after a look that failed nothing from before it is used, for the database may be another one', async () => {
  const { world, find, write, putBack } = createWorld();
  write('a', 'acct_1', '1');
  await find('a');
  world.down = true;
  world.nowMs += LONGEST_MS + 1;
  await find('a');
  world.down = false;
  // A standby that has not got the last change, and makes another one under the same version.
  putBack(1);
  write('a', 'acct_1', '2');
  world.nowMs += LONGEST_MS + 1;
  expect(await find('a')).toBe('2');
  await new Promise(setImmediate);
  expect(await find('a')).toBe('2');
});

test('a version that went back and a change of every account end all that is remembered', async () => {
  const { world, asked, find, write, changeAll, putBack } = createWorld();
  write('a', 'acct_1', '1');
  write('b', 'acct_2', '1');
  const round = async () => {
    world.nowMs += LONGEST_MS + 1;
    await find('a');
    await find('b');
    return asked.splice(0);
  };
  expect([await round(), await round()]).toEqual([['a', 'b'], []]);
  putBack(2);
  expect([await round(), await round()]).toEqual([['a', 'b'], []]);
  changeAll();
  expect([await round(), await round()]).toEqual([['a', 'b'], []]);
});

test('that there is nothing is not remembered, but asked for once by callers at the same time', async () => {
  const { asked, find, write } = createWorld();
  expect(await Promise.all([find('a'), find('a')])).toEqual([undefined, undefined]);
  expect(asked).toEqual(['a']);
  write('a', 'acct_1', '1');
  expect(await find('a')).toBe('1');
});

test('the oldest answers leave a full memory, and the oldest changes leave with what they may concern', async () => {
  const few = createWorld({ maxEntries: 2 });
  for (const name of ['a', 'b', 'c']) few.write(name, `acct_${name}`, name);
  for (const name of ['a', 'b', 'c', 'a']) await few.find(name);
  expect(few.asked).toEqual(['a', 'b', 'c', 'a']);

  const { world, find, write } = createWorld({ maxAccounts: 2 });
  for (const name of ['a', 'b', 'c']) write(name, `acct_${name}`, '1');
  for (const name of ['a', 'b', 'c']) await find(name);
  for (const name of ['a', 'b', 'c']) {
    write(name, `acct_${name}`, '2');
    world.nowMs += LONGEST_MS + 1;
    await find('none');
  }
  expect(await Promise.all(['a', 'b', 'c'].map(find))).toEqual(['2', '2', '2']);
});
