// What every event store promises, as tests that any of them can be put through.
import { expect, test } from 'vitest';
import type { EventStore } from '../once/event-store.ts';

export type StoreUnderTest = {
  readonly store: EventStore;
  /** Lets so much of the store's time pass. */
  readonly passMs: (ms: number) => Promise<void>;
};

let events = 0;
const newEvent = () => `evt_${(events += 1)}`;

export function testStoreContract(open: () => StoreUnderTest, leaseMs: number): void {
  test('of many who claim an event at once, one gets it', async () => {
    const { store } = open();
    const id = newEvent();
    const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => store.claim(id, `h${index}`, 60_000)));
    expect(claims.toSorted()).toEqual(['claimed', ...Array(19).fill('held')]);
  });

  test('an event that is done stays done, whatever comes later', async () => {
    const { store } = open();
    const id = newEvent();
    await store.claim(id, 'one', 60_000);
    await store.complete(id);
    await store.release(id, 'one');
    expect(await store.renew(id, 'one', 60_000)).toBe(false);
    expect(await store.claim(id, 'two', 60_000)).toBe('done');
  });

  test('an event that was released is free at once', async () => {
    const { store } = open();
    const id = newEvent();
    await store.claim(id, 'one', 60_000);
    await store.release(id, 'one');
    expect(await store.claim(id, 'two', 60_000)).toBe('claimed');
  });

  test('an event whose holder fell silent is free when the lease ends, and not before', async () => {
    const { store, passMs } = open();
    const id = newEvent();
    await store.claim(id, 'silent', leaseMs);
    expect(await store.claim(id, 'two', leaseMs)).toBe('held');
    await passMs(leaseMs);
    expect(await store.claim(id, 'two', 60_000)).toBe('claimed');
    expect(await store.renew(id, 'silent', 60_000)).toBe(false);
  });

  test('a renewed lease lasts longer', async () => {
    const { store, passMs } = open();
    const id = newEvent();
    await store.claim(id, 'one', leaseMs);
    expect(await store.renew(id, 'one', 60_000)).toBe(true);
    await passMs(leaseMs);
    expect(await store.claim(id, 'two', leaseMs)).toBe('held');
  });

  test('who lost an event can neither renew nor release it', async () => {
    const { store, passMs } = open();
    const id = newEvent();
    await store.claim(id, 'late', leaseMs);
    await passMs(leaseMs);
    await store.claim(id, 'two', 60_000);
    await store.release(id, 'late');
    expect(await store.claim(id, 'three', 60_000)).toBe('held');
  });

  test('work that was carried out late still counts, and the other holder’s failure does not undo it', async () => {
    const { store, passMs } = open();
    const id = newEvent();
    await store.claim(id, 'late', leaseMs);
    await passMs(leaseMs);
    await store.claim(id, 'two', 60_000);
    await store.complete(id);
    await store.release(id, 'two');
    expect(await store.claim(id, 'three', 60_000)).toBe('done');

    const gone = newEvent();
    await store.claim(gone, 'late', leaseMs);
    await passMs(leaseMs);
    await store.claim(gone, 'two', 60_000);
    await store.release(gone, 'two');
    await store.complete(gone);
    expect(await store.claim(gone, 'three', 60_000)).toBe('done');
  });
}
