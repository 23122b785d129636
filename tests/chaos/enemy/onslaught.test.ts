import { expect, test } from 'vitest';
import type { ApiAnswer, ApiClient, ApiRequest } from './api-client.ts';
import { type Attacker, type Ground, nothing } from './attacker.ts';
import { createOnslaught } from './onslaught.ts';

const ground: Ground = {
  apiUrls: [],
  rpcUrl: '',
  token: '0x01',
  priceUsd: '1',
  priceAtomic: '1',
  shops: [],
  ownShops: [],
  slowReceiverPort: 0,
  seed: 1,
};
const answered = (http: number, body: object): ApiAnswer => ({ http, text: JSON.stringify(body), retryAfterMs: 0 });

function clientThat(answer: (request: ApiRequest) => ApiAnswer | undefined) {
  const asked: ApiRequest[] = [];
  const client: ApiClient = {
    ask: async (request) => {
      asked.push(request);
      return answer(request);
    },
    nextUrl: () => '',
    close: async () => {},
  };
  return { asked, client };
}

const attacker = (name: string, perSecond: number, requests: number, addresses: number): Attacker<unknown> => ({
  name,
  finding: 'A1',
  perSecond,
  addresses,
  prepare: nothing,
  strike: async ({ ask }) => {
    for (let index = 0; index < requests; index += 1) await ask({ path: `/${name}` });
  },
});

test('each attacker makes its share of the requests, however many a strike makes, from its own addresses', async () => {
  const { asked, client } = clientThat(() => answered(402, {}));
  const onslaught = createOnslaught([attacker('one', 100, 1, 3), attacker('two', 300, 2, 1)], ground, client, 800);
  await onslaught.prepare();
  await onslaught.run(1);
  const [one, two] = onslaught.records();
  expect(one).toMatchObject({ name: 'one', skipped: 0, broken: 0, answers: { offered: one?.sent } });
  // A second more or less of ticks, and no more.
  expect(one?.sent).toBeGreaterThan(180);
  expect(one?.sent).toBeLessThan(220);
  expect(two?.sent).toBeGreaterThan(560);
  expect(two?.sent).toBeLessThan(640);
  const addressesOf = (path: string) => new Set(asked.filter((one) => one.path === path).map(({ address }) => address));
  expect(addressesOf('/one').size).toBe(3);
  expect(addressesOf('/two').size).toBe(1);
  expect([...addressesOf('/one')].some((address) => addressesOf('/two').has(address))).toBe(false);
});

test('answers are counted by their code, internal errors and strikes that throw apart', async () => {
  const { client } = clientThat(({ path }) => (path === '/a' ? answered(500, { error: 'internal_error' }) : undefined));
  const broken = attacker('a', 10, 1, 1);
  const throws: Attacker<unknown> = {
    ...attacker('b', 10, 1, 1),
    strike: () => Promise.reject(new Error('no wallet')),
  };
  const onslaught = createOnslaught([broken, attacker('c', 10, 1, 1), throws], ground, client, 60);
  await onslaught.prepare();
  await onslaught.run(1);
  const [a, c, b] = onslaught.records();
  expect(a?.broken).toBe(a?.sent);
  expect(a?.answers).toEqual({ internal_error: a?.sent });
  expect(c?.answers).toEqual({ unanswered: c?.sent });
  expect(b?.problems).toHaveLength(b?.strikes ?? 0);
  expect(new Set(b?.problems)).toEqual(new Set(['no wallet']));
});
