import { addressHash, type Caller, type DeniedEntry, dayOf } from '@svc-pay/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { followDenials } from './denials.ts';

const PEPPER = new Uint8Array(32).fill(7);
const OLDER_PEPPER = new Uint8Array(32).fill(8);
const keyOf = (keyId: string) => ({ accountId: 'acct_1', mode: 'test', keyId }) as Caller;
const denied = (kind: DeniedEntry['kind'], value: string, expiresAtMs: number | null = null): DeniedEntry => ({
  kind,
  value,
  expiresAtMs,
});

/** Denials over a list that the test changes. Only the test moves the clock. */
function world() {
  let nowMs = Date.parse('2026-11-15T12:00:00Z');
  let stored = { version: '1', entries: [] as readonly DeniedEntry[] };
  let down = false;
  let stuck = Promise.resolve();
  const problems: unknown[] = [];
  const loads: (string | null)[] = [];
  const endedKeys = new Set<string>();
  const denials = followDenials({
    clock: { nowMs: () => nowMs },
    peppers: [PEPPER, OLDER_PEPPER],
    load: async (version) => {
      loads.push(version);
      await stuck;
      if (down) throw new Error('the database is away');
      return version === stored.version ? undefined : stored;
    },
    findEndedKeys: async (keys) => new Set(keys.map(({ keyId }) => keyId).filter((keyId) => endedKeys.has(keyId))),
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(denials.stop);
  return {
    denials,
    endedKeys,
    problems,
    loads,
    now: () => nowMs,
    wait: (ms: number) => void (nowMs += ms),
    set: (...entries: readonly DeniedEntry[]) => {
      stored = { version: `${Number.parseInt(stored.version, 10) + 1}`, entries };
    },
    breakDown: (broken: boolean) => void (down = broken),
    /** From here on the database answers nothing. */
    stick: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stuck = promise;
      onTestFinished(() => resolve());
    },
  };
}

test('a change has effect within a second, also when its announcement is lost', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { denials, set } = world();
  await denials.refresh();
  expect(denials.isAddressDenied('192.0.2.7')).toBe(false);
  set(denied('address', '192.0.2.0/24'), denied('payer', '0xab'), denied('key', 'key_1'));
  await vi.advanceTimersByTimeAsync(999);
  expect(denials.isAddressDenied('192.0.2.7')).toBe(true);
  expect([denials.isPayerDenied('0xAB'), denials.isKeyDenied('key_1'), denials.isKeyDenied('key_2')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(denials.entries()).toBe(3);
});

test('an announcement during a read causes another read; several cause one', async () => {
  const { denials, loads } = world();
  await Promise.all([denials.refresh(), denials.refresh(), denials.refresh()]);
  expect(loads).toHaveLength(2);
});

test('while the database does not answer the last list holds, and that is said once', async () => {
  const { denials, set, breakDown, problems, wait } = world();
  set(denied('key', 'key_1'));
  await denials.refresh();
  breakDown(true);
  set();
  wait(20_000);
  await denials.refresh();
  await denials.refresh();
  expect(denials.isKeyDenied('key_1')).toBe(true);
  expect(problems).toHaveLength(1);
  expect(denials.ageMs()).toBe(20_000);
  breakDown(false);
  await denials.refresh();
  expect([denials.isKeyDenied('key_1'), denials.ageMs()]).toEqual([false, 0]);
});

test('an entry that has ended is gone, though the list did not change', async () => {
  const { denials, set, now, wait } = world();
  set(denied('payer', '0xab', now() + 500));
  await denials.refresh();
  expect(denials.isPayerDenied('0xab')).toBe(true);
  wait(500);
  await denials.refresh();
  expect(denials.isPayerDenied('0xab')).toBe(false);
});

test('it ends at its time also while the database does not answer', async () => {
  const { denials, set, now, wait, breakDown } = world();
  set(denied('payer', '0xab', now() + 500), denied('key', 'key_1'));
  await denials.refresh();
  breakDown(true);
  wait(500);
  await denials.refresh();
  expect([denials.isPayerDenied('0xab'), denials.isKeyDenied('key_1')]).toEqual([false, true]);
});

test('an address is denied by the hash that log lines show of it', async () => {
  const { denials, set, now } = world();
  set(denied('address_hash', addressHash(PEPPER, '192.0.2.1', dayOf(now()))));
  await denials.refresh();
  expect([denials.isAddressDenied('192.0.2.1'), denials.isAddressDenied('192.0.2.2')]).toEqual([true, false]);
});

test('a hash that was made with the pepper before this one is denied too, and lines show the new one', async () => {
  const { denials, set, now } = world();
  set(denied('address_hash', addressHash(OLDER_PEPPER, '192.0.2.1', dayOf(now()))));
  await denials.refresh();
  expect([denials.isAddressDenied('192.0.2.1'), denials.isAddressDenied('192.0.2.2')]).toEqual([true, false]);
  expect(denials.hashOf('192.0.2.1')).toBe(addressHash(PEPPER, '192.0.2.1', dayOf(now())));
});

test('open streams of a denied key or address end, others do not', async () => {
  const { denials, set } = world();
  const ended: string[] = [];
  const hold = (address: string, keyId: string) =>
    denials.hold({ address, key: keyOf(keyId), end: () => ended.push(`${address} ${keyId}`) });
  hold('192.0.2.1', 'key_1');
  hold('192.0.2.2', 'key_2');
  hold('192.0.2.3', 'key_3');
  const release = hold('192.0.2.1', 'key_4');
  release();
  set(denied('address', '192.0.2.1/32'), denied('key', 'key_2'));
  await denials.refresh();
  expect(ended).toEqual(['192.0.2.1 key_1', '192.0.2.2 key_2']);
  // Admitted a moment before the list changed.
  hold('192.0.2.1', 'key_5');
  expect(ended).toContain('192.0.2.1 key_5');
});

test('streams of a key that has ended end within a second, although the list did not change', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { denials, endedKeys } = world();
  await denials.refresh();
  const ended: string[] = [];
  for (const keyId of ['key_1', 'key_1', 'key_2'])
    denials.hold({ address: '192.0.2.1', key: keyOf(keyId), end: () => ended.push(keyId) });
  endedKeys.add('key_1');
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).toEqual(['key_1', 'key_1']);
});

/** Nobody has asked anything for a while. */
async function calmWorld() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const made = world();
  await made.denials.refresh();
  await vi.advanceTimersByTimeAsync(20_000);
  made.loads.length = 0;
  return made;
}

test('without requests and streams the list is compared every ten seconds, below what the alert tolerates', async () => {
  const { loads } = await calmWorld();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(loads.length).toBeGreaterThanOrEqual(5);
  expect(loads.length).toBeLessThanOrEqual(6);
});

test('the first requests after a pause are judged by the list as it is then, though its announcement was lost', async () => {
  const { denials, set, loads } = await calmWorld();
  set(denied('address', '192.0.2.0/24'));
  const [first, second] = [denials.arrive(), denials.arrive()];
  await Promise.all([first, second]);
  expect(denials.isAddressDenied('192.0.2.7')).toBe(true);
  expect(loads).toHaveLength(1);
  expect(denials.arrive()).toBeUndefined();
});

test('requests after a pause wait a quarter of a second at most for a database that does not answer', async () => {
  const { denials, stick } = await calmWorld();
  stick();
  let waited = true;
  void denials.arrive()?.then(() => (waited = false));
  await vi.advanceTimersByTimeAsync(200);
  expect(waited).toBe(true);
  await vi.advanceTimersByTimeAsync(50);
  expect(waited).toBe(false);
  expect(denials.arrive()).toBeUndefined();
});

test('after a request the list is compared every moment again, and as long as a stream is open', async () => {
  const { denials, set, endedKeys } = await calmWorld();
  await denials.arrive();
  set(denied('key', 'key_1'));
  await vi.advanceTimersByTimeAsync(999);
  expect(denials.isKeyDenied('key_1')).toBe(true);
  let ended = false;
  denials.hold({ address: '192.0.2.1', key: keyOf('key_2'), end: () => (ended = true) });
  await vi.advanceTimersByTimeAsync(60_000);
  endedKeys.add('key_2');
  await vi.advanceTimersByTimeAsync(999);
  expect(ended).toBe(true);
});
