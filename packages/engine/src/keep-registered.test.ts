// What a process asks the engine while nothing changes, and what it does when an answer changed. The engine here answers what the
// test tells it to: the real one runs in `engine.test.ts` and `stand-by.test.ts`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRegistration } from './keep-registered.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const NAMES = ['lanes', 'held', 'refunds'];
const SETTLED_MS = 61_000;
const CALM_MS = 5_000;

async function world(keep: (cleanUp: () => void) => void) {
  const owners = new Map<string, string>();
  const asked: string[] = [];
  const serviceOf = (name: string) => ({ name, deployment_id: owners.get(name) });
  const answer = (what: string): unknown => {
    if (what === 'POST /query') return { rows: [] };
    if (what === 'GET /services') return { services: [...owners.keys()].map(serviceOf) };
    if (what.startsWith('GET /deployments/')) return { uri: 'http://127.0.0.1:9' };
    if (what.startsWith('GET /services/')) {
      const name = what.slice('GET /services/'.length);
      return owners.has(name) ? serviceOf(name) : undefined;
    }
    if (what === 'POST /deployments') for (const name of NAMES) owners.set(name, 'own');
    return { id: 'own' };
  };
  const server = createServer((request, response) => {
    const what = `${request.method} ${request.url}`;
    asked.push(what);
    const found = answer(what);
    request.resume().on('end', () => response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found)));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  keep(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registration = createRegistration({
    adminUrls: [url],
    ingressUrls: [url],
    url: 'http://127.0.0.1:1',
    drains: ['lanes'],
    jobs: [
      { name: 'held', everyMs: 1_000 },
      { name: 'refunds', everyMs: 1_000 },
    ],
    log: () => {},
  });
  /** Time passes in which jobs run, and the process checks. Returns what it asked. */
  const checkAfter = async (ms: number): Promise<readonly string[]> => {
    vi.advanceTimersByTime(ms);
    registration.heard();
    asked.length = 0;
    await registration.check();
    return [...asked];
  };
  return { registration, owners, checkAfter };
}

/** The process has had all the work for more than a minute. */
async function settledWorld(keep: (cleanUp: () => void) => void) {
  const made = await world(keep);
  await made.checkAfter(0);
  await made.checkAfter(0);
  await made.checkAfter(SETTLED_MS);
  expect(made.registration.pauseMs()).toBe(CALM_MS);
  return made;
}

test('a process that has had all the work for a minute asks for one service at a time, each in its turn', async ({
  onTestFinished,
}) => {
  const { checkAfter } = await settledWorld(onTestFinished);
  const checks = [await checkAfter(CALM_MS), await checkAfter(CALM_MS), await checkAfter(CALM_MS)];
  expect(checks.flat().toSorted()).toEqual(NAMES.map((name) => `GET /services/${name}`).toSorted());
});

test('a settled process still asks for all services and searches for lost work every half minute', async ({
  onTestFinished,
}) => {
  const { checkAfter } = await settledWorld(onTestFinished);
  expect(await checkAfter(30_000)).toEqual(['GET /services', 'POST /query']);
});

test('a process that learns of one forgotten service registers all of them at that check', async ({
  onTestFinished,
}) => {
  const { checkAfter, owners } = await settledWorld(onTestFinished);
  owners.clear();
  expect(await checkAfter(CALM_MS)).toContain('POST /deployments');
  expect(owners.get('lanes')).toBe('own');
});

test('a process that learns of another owner by one service checks every second again', async ({ onTestFinished }) => {
  const { checkAfter, owners, registration } = await settledWorld(onTestFinished);
  for (const name of NAMES) owners.set(name, 'other');
  expect(await checkAfter(CALM_MS)).toContain('GET /services');
  expect(registration.pauseMs()).toBe(1_000);
});

test('a process that suspects the engine asks for all services', async ({ onTestFinished }) => {
  const { checkAfter, registration } = await settledWorld(onTestFinished);
  registration.suspect();
  expect(await checkAfter(1_000)).toEqual(['GET /services']);
});
