// The agent buys from stock sellers with the stock facilitator, on a real chain.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BASE_SEPOLIA_CHAIN_ID } from '@svc-pay/evm/local';
import { startChain } from '@svc-pay/evm/testing';
import { type AgentOptions, AgentPayError, createAgent, fileSpendStore } from '@svc-pay/sdk/agent';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, promised, runCommands } from '../e2e/example-page.ts';
import { startPeer } from './start-peer.ts';

const PAGE = 'docs/guides/let-an-agent-pay.md';
const CENT = 10_000n;
const chain = await startChain({ chainId: BASE_SEPOLIA_CHAIN_ID });
afterAll(() => chain.stop());
const { usdc } = chain.tokens;
const payer = await chain.newKey();
const merchant = await chain.newKey();
const facilitator = await chain.newKey(10n ** 20n);
await chain.mint(usdc, payer.account.address, 10_000_000n);
const seller = await startPeer('stock-seller', {
  rpcUrl: chain.rpcUrl,
  privateKey: facilitator.privateKey,
  payTo: merchant.account.address,
});
afterAll(() => seller.stop());
const url = seller.ready['url'] as string;
const folder = mkdtempSync(path.join(tmpdir(), 'agent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let stores = 0;
const newStore = () => fileSpendStore(path.join(folder, `store-${(stores += 1)}`));
const newAgent = (options: Partial<AgentOptions> = {}) =>
  createAgent({
    signer: payer.account,
    limits: { perRequest: '0.10', perHost: '0.25', perDay: '0.30' },
    store: newStore(),
    ...options,
  });

type Seen = { readonly runs: number; readonly payments: readonly string[] };
const earned = () => chain.balanceOf(usdc, merchant.account.address);
const codeOf = (problem: unknown) => (problem instanceof AgentPayError ? problem.code : String(problem));

/** What the merchant earned, what the seller saw and what the agent says. */
async function observed<Result>(work: () => Promise<Result>) {
  await seller.ask('seen');
  const before = await earned();
  const result = await work().catch(codeOf);
  const { runs, payments } = await seller.ask<Seen>('seen');
  return { result, earned: (await earned()) - before, runs, sends: payments.length, payments: new Set(payments).size };
}

test.each(['/weather', '/v1'])('a stock seller at %s is paid its price, once', async (where) => {
  const agent = newAgent();
  const { result, ...rest } = await observed(async () => {
    const { response, paid } = await agent.pay(url + where);
    return { body: await response.json(), paid };
  });
  expect(rest).toEqual({ earned: CENT, runs: 1, sends: 1, payments: 1 });
  expect(result).toMatchObject({
    body: { goods: where },
    paid: { amount: '0.01', isRepeat: false, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  });
  expect(await agent.spending()).toMatchObject({ total: '0.01', hosts: { [new URL(url).host]: '0.01' } });
});

test('the same address is bought again, and a body is sent with the payment', async () => {
  const agent = newAgent();
  const buy = async () => (await agent.fetch(`${url}/weather`)).json();
  expect(await observed(async () => [await buy(), await buy()])).toMatchObject({ earned: 2n * CENT, runs: 2 });
  const init = { method: 'POST', body: '{"year":2026}', headers: { 'content-type': 'application/json' } };
  const report = await observed(async () => (await agent.fetch(`${url}/report`, init)).json());
  expect(report).toMatchObject({ earned: CENT, result: { goods: '/report', asked: { year: 2026 } } });
});

test.each(['lose', 'fail', 'ask'])(
  'a seller that settles and then %ss gets the same payment again and earns once',
  async (kind) => {
    for (const where of ['/weather', '/v1']) {
      const store = newStore();
      await seller.ask('suffer', { kind, times: 3 });
      const first = await observed(() => newAgent({ store }).fetch(url + where));
      expect(first).toMatchObject({ sends: 3, payments: 1, earned: kind === 'ask' ? 0n : CENT });
      // Another process, the same request: nothing new is signed, whatever the seller says now.
      await seller.ask('suffer', { kind: 'none', times: 0 });
      const again = await observed(async () => (await newAgent({ store, maxSends: 1 }).fetch(url + where)).json());
      expect(again.payments).toBe(1);
      expect(first.earned + again.earned).toBe(CENT);
    }
  },
);

test('limits per request, host and day hold over restarts and over agents at the same time', async () => {
  const store = newStore();
  const dear = await observed(() => newAgent({ store }).fetch(`${url}/dear`));
  expect(dear).toMatchObject({ result: 'limit_request', earned: 0n, sends: 0 });
  const limits = { perRequest: '0.10', perHost: '0.03', perDay: '1.00' };
  const many = await observed(() =>
    Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const agent = newAgent({ store, limits });
        const headers = { 'idempotency-key': `order-${index}` };
        return agent
          .fetch(`${url}/weather`, { headers })
          .then(async (response) => (await response.json()) && 'paid', codeOf);
      }),
    ),
  );
  expect((many.result as string[]).sort()).toEqual(['limit_host', 'limit_host', 'limit_host', 'paid', 'paid', 'paid']);
  expect(many.earned).toBe(3n * CENT);
});

test('the guide’s program and command do what the page says', async () => {
  const environment = {
    SELLER_URL: `${url}/weather`,
    AGENT_KEY: payer.privateKey,
    AGENT_STORE: path.join(folder, 'guide'),
    HOME: folder,
  };
  const [shown = '', printed = ''] = blocksOf(PAGE, 'text');
  const program = blocksOf(PAGE, 'js').join('\n');
  const quoted = `node --input-type=module -e "$PROGRAM"`;
  const ran = await observed(() => runCommands(quoted, { ...environment, PROGRAM: program }));
  expect(ran.result).toMatch(promised(shown));
  expect(ran.earned).toBe(2n * CENT);
  const [command = ''] = blocksOf(PAGE, 'sh');
  const called = await observed(() => runCommands(command, environment));
  expect(called.result).toMatch(promised(printed));
  expect(called.earned).toBe(CENT);
});

// Last: it moves the time of the chain, and what is signed by this machine’s clock is expired there from then on.
test('an expired payment is not signed again until the chain shows that it is unused', async () => {
  const store = newStore();
  await seller.ask('suffer', { kind: 'ask', times: 3 });
  expect(await observed(() => newAgent({ store }).fetch(`${url}/weather`))).toMatchObject({
    result: 'payment_refused',
  });
  const ports = { nowMs: () => Date.now() + 700_000 };
  const rpcUrls = { [chain.network]: chain.rpcUrl };
  expect(await observed(() => newAgent({ store, ports }).fetch(`${url}/weather`))).toMatchObject({
    result: 'payment_expired',
    sends: 0,
  });
  // The chain's own time decides.
  expect(await newAgent({ store, ports, rpcUrls }).reconcile()).toMatchObject({ open: 1, unused: 0 });
  await chain.advance(700);
  for (let blocks = 0; blocks < 4; blocks += 1) await chain.advance(1);
  const agent = newAgent({ store, ports, rpcUrls });
  const paid = await observed(async () => (await agent.fetch(`${url}/weather`)).json());
  expect(paid).toMatchObject({ earned: CENT, payments: 1, result: { goods: '/weather' } });
});
