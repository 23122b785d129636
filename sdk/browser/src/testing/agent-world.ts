// Sellers that lie, a chain that executes what they were given, and an agent whose process ends anywhere, whose limits are
// changed and whose clock jumps. The world keeps its own truth: what was signed under which limits, which authorizations left
// the agent, and which of them the chain took.
import { createAgent } from '../agent/create-agent.ts';
import { type AgentLimits, AgentPayError, type AgentSpending } from '../agent/index.ts';
import { dayOf, EMPTY_BOOK, type SpendBook } from '../agent/spend-book.ts';
import type { SpendStore } from '../agent/spend-store.ts';
import { parseUnits } from '../agent/units.ts';
import { virtualTime } from './virtual-time.ts';

export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const PAYER = `0x${'22'.repeat(20)}` as const;
const SELLER = `0x${'11'.repeat(20)}`;
const RPC_URL = 'https://rpc.example/';
const WINDOW_SECONDS = 300;
/** How far the final block is behind. */
const FINAL_LAG_MS = 400_000;

export type Answer =
  | 'ok'
  | 'broken'
  | 'asks_again'
  | 'fails'
  | 'lost'
  | 'hangs'
  | 'pending'
  | 'not_found'
  | 'redirects_away'
  | 'redirects_within';

export type Behaviour = {
  readonly version: 1 | 2;
  /** Price of the first 402, in atomic USDC; each later one asks ten times as much. */
  readonly price: number;
  readonly answer: Answer;
  /** Whether the seller executes the payment before it answers. */
  readonly settles: boolean;
};

export type GivenAway = {
  readonly nonce: string;
  readonly value: bigint;
  readonly host: string;
  readonly validBefore: number;
  /** What is bought once: the key at its host, or without one method, address and body. */
  readonly purchase: string;
  readonly isKeyed: boolean;
  /** Day on which the agent counts it. */
  readonly day: string;
};

export type WorldCall = {
  readonly url: string;
  readonly key?: string | undefined;
  readonly body?: string | undefined;
};

/** An address of another origin, which gives what the seller sold without being paid. */
const ELSEWHERE = 'https://elsewhere.example/';
const AUTHORIZATION = 'Bearer of-the-seller';

const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const sumOf = (payments: readonly GivenAway[]) => payments.reduce((sum, { value }) => sum + value, 0n);
/** A limit in atomic USDC. */
const atomicOf = (limit: string) => (parseUnits(limit) ?? 0n) / 10n ** 12n;

export type AgentWorld = ReturnType<typeof agentWorld>;

export function agentWorld(startLimits: AgentLimits, options: { readonly rpc: boolean }) {
  const time = virtualTime(Date.parse('2026-11-16T23:40:00Z'));
  let limits = startLimits;
  /** How far the clock of the agent is ahead of the chain's. */
  let aheadMs = 0;
  const clockMs = () => time.nowMs() + aheadMs;
  const given = new Map<string, GivenAway>();
  /** When the chain took each one. */
  const used = new Map<string, number>();
  const settle = (nonce: string) => used.set(nonce, used.get(nonce) ?? time.nowMs());
  /** How many answers to a purchase arrived whole. */
  const delivered = new Map<string, number>();
  /** Payments, and what is said to the seller alone, in requests to another origin. */
  const sentElsewhere: string[] = [];
  /** What was signed above the limits of the process that signed it. */
  const signedAboveLimits: string[] = [];
  /** Reservations that count on an earlier day than one before them, or than their clock says. */
  const countedBack: string[] = [];
  let behaviours: readonly Behaviour[] = [];
  let next = 0;
  let book: SpendBook = EMPTY_BOOK;
  let effectsLeft = Number.POSITIVE_INFINITY;
  let crash = Promise.withResolvers<'crashed'>();
  let randomness = 0;
  let started = 0;

  /** A place where the process may end. Nothing that comes after it happens. */
  async function effectOf(process: number): Promise<void> {
    if (process === started) effectsLeft -= 1;
    if (process === started && effectsLeft > 0) return;
    if (process === started && effectsLeft === 0) crash.resolve('crashed');
    await new Promise(() => {});
  }

  /** Authorizations that the chain took or may still take. */
  const atStake = () =>
    [...given.values()].filter(
      ({ nonce, validBefore }) => used.has(nonce) || (time.nowMs() - FINAL_LAG_MS) / 1_000 < validBefore,
    );

  const recordOf = (nonce: unknown) =>
    Object.values(book.payments).find(({ authorization }) => authorization.nonce === nonce);

  function checkLimits(nonce: unknown, value: bigint): void {
    const { host = '', day = '' } = recordOf(nonce) ?? {};
    const ofDay = atStake().filter((one) => one.day === day);
    const perHost = typeof limits.perHost === 'string' ? limits.perHost : (limits.perHost[host] ?? '0');
    const isWithin =
      value <= atomicOf(limits.perRequest) &&
      sumOf(ofDay.filter((one) => one.host === host)) + value <= atomicOf(perHost) &&
      sumOf(ofDay) + value <= atomicOf(limits.perDay);
    if (!isWithin) signedAboveLimits.push(`${value} to ${host} on ${day}`);
  }

  function checkDays(before: SpendBook, after: SpendBook): void {
    const known = new Set(Object.values(before.payments).map(({ id }) => id));
    const newest = Object.keys(before.days).reduce((one, other) => (one > other ? one : other), dayOf(clockMs()));
    for (const { id, day } of Object.values(after.payments))
      if (!known.has(id) && day < newest) countedBack.push(`${day} after ${newest}`);
  }

  const storeOf = (effect: () => Promise<void>): SpendStore => ({
    async update(change) {
      await effect();
      const changed = change(book);
      checkDays(book, changed.book);
      // As a file has it: nothing of the objects themselves survives.
      if (changed.book !== book) book = JSON.parse(JSON.stringify(changed.book)) as SpendBook;
      await effect();
      return changed.result;
    },
  });

  function challenge({ version, price }: Behaviour, url: URL, times: number): Response {
    const terms = {
      scheme: 'exact',
      asset: USDC,
      payTo: SELLER,
      maxTimeoutSeconds: WINDOW_SECONDS,
      extra: { name: 'USD Coin', version: '2' },
    };
    const amount = String(BigInt(price) * 10n ** BigInt(times));
    if (version === 1) {
      const accepts = [{ ...terms, network: 'base', maxAmountRequired: amount, resource: url.href }];
      return Response.json({ x402Version: 1, error: 'pay', accepts }, { status: 402 });
    }
    const accepts = [{ ...terms, network: 'eip155:8453', amount }];
    const header = json({ x402Version: 2, resource: { url: url.href }, accepts });
    return new Response('{}', { status: 402, headers: { 'payment-required': header } });
  }

  function whole(purchase: string): ReadableStream<Uint8Array> {
    let pulls = 0;
    return new ReadableStream({
      pull(controller) {
        pulls += 1;
        if (pulls === 1) return controller.enqueue(new TextEncoder().encode('goods'));
        delivered.set(purchase, (delivered.get(purchase) ?? 0) + 1);
        controller.close();
      },
    });
  }

  async function paidAnswer(behaviour: Behaviour, url: URL, purchase: string, signal: AbortSignal): Promise<Response> {
    const settled = json({ success: true, transaction: '0xab', network: 'eip155:8453' });
    switch (behaviour.answer) {
      case 'ok':
        return new Response(whole(purchase), { headers: { 'payment-response': settled } });
      case 'broken': {
        const body = new ReadableStream({
          pull(controller) {
            controller.enqueue(new TextEncoder().encode('go'));
            controller.error(new Error('cut off'));
          },
        });
        return new Response(body, { headers: { 'payment-response': settled } });
      }
      case 'asks_again':
        return challenge(behaviour, url, 1);
      case 'fails':
        return new Response('sorry', { status: 503 });
      case 'lost':
        throw new TypeError('fetch failed');
      case 'hangs':
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      case 'pending': {
        const pending = json({ success: false, errorReason: 'settlement_pending', transaction: '', network: '' });
        return new Response('', { status: 202, headers: { 'payment-response': pending } });
      }
      case 'not_found':
        return new Response('no', { status: 404 });
      case 'redirects_away':
        return new Response(null, {
          status: 307,
          headers: { location: `${ELSEWHERE}?for=${encodeURIComponent(purchase)}` },
        });
      case 'redirects_within':
        return new Response(null, { status: 307, headers: { location: url.href } });
      default:
        throw new Error('no such answer');
    }
  }

  async function serve(url: URL, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const headers = new Headers(init.headers);
    if (url.href.startsWith(ELSEWHERE)) {
      const secrets = ['payment-signature', 'x-payment', 'authorization'].filter((name) => headers.has(name));
      sentElsewhere.push(...secrets);
      return new Response(whole(url.searchParams.get('for') ?? ''));
    }
    const behaviour = behaviours[next];
    next += 1;
    if (behaviour === undefined) throw new TypeError('fetch failed');
    const header = headers.get('payment-signature') ?? headers.get('x-payment');
    if (header === null) return challenge(behaviour, url, 0);
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
      payload: { authorization: { nonce: string; value: string; validBefore: string } };
    };
    const { nonce, value, validBefore } = payload.authorization;
    const key = headers.get('idempotency-key');
    const body = init.body === undefined ? '' : new TextDecoder().decode(init.body as Uint8Array);
    const purchase = key === null ? `${init.method} ${url.href} ${body}` : `${key} at ${url.host}`;
    const day = recordOf(nonce)?.day ?? given.get(nonce)?.day;
    if (day === undefined) throw new Error('a payment without a record was sent');
    const { host } = url;
    const isKeyed = key !== null;
    given.set(nonce, { nonce, value: BigInt(value), host, validBefore: Number(validBefore), purchase, isKeyed, day });
    if (behaviour.settles && time.nowMs() / 1_000 < Number(validBefore)) settle(nonce);
    return paidAnswer(behaviour, url, purchase, signal);
  }

  function node(body: string): Response {
    const { method, params } = JSON.parse(body) as { method: string; params: readonly [{ data: string }] };
    const finalMs = time.nowMs() - FINAL_LAG_MS;
    const finalSeconds = Math.floor(finalMs / 1_000);
    const isUsed = (nonce: string) => (used.get(nonce) ?? Number.POSITIVE_INFINITY) <= finalMs;
    const result =
      method === 'eth_chainId'
        ? '0x2105'
        : method === 'eth_getBlockByNumber'
          ? { number: '0x1', timestamp: `0x${finalSeconds.toString(16)}` }
          : `0x${(isUsed(`0x${params[0].data.slice(-64)}`) ? '1' : '0').padStart(64, '0')}`;
    return Response.json({ jsonrpc: '2.0', id: 1, result });
  }

  function start() {
    started += 1;
    const process = started;
    const effect = () => effectOf(process);
    return createAgent({
      limits,
      store: storeOf(effect),
      signer: {
        address: PAYER,
        async signTypedData({ message }) {
          await effect();
          checkLimits(message['nonce'], message['value'] as bigint);
          return `0x${'ab'.repeat(65)}`;
        },
      },
      ...(options.rpc && { rpcUrls: { 'eip155:8453': RPC_URL } }),
      timeoutMs: 5_000,
      ports: {
        nowMs: clockMs,
        sleep: time.sleep,
        randomBytes: (length) => {
          randomness += 1;
          return Uint8Array.from({ length }, (_, index) => (randomness >> (8 * (index % 4))) & 255);
        },
        fetch: async (input, init) => {
          const url = new URL(input instanceof Request ? input.url : input);
          if (url.href === RPC_URL) return node(init?.body as string);
          await effect();
          const response = await serve(url, init ?? {}, init?.signal as AbortSignal);
          await effect();
          return response;
        },
      },
    });
  }

  let agent = start();

  /** The answer, or the code of the error. */
  async function call({ url, key, body }: WorldCall): Promise<string> {
    const headers = { authorization: AUTHORIZATION, ...(key !== undefined && { 'idempotency-key': key }) };
    try {
      const response = await agent.fetch(url, { headers, ...(body !== undefined && { method: 'POST', body }) });
      return await response.text();
    } catch (problem) {
      if (problem instanceof AgentPayError) return problem.code;
      if (problem instanceof Error && problem.message === 'cut off') return 'cut off';
      throw problem;
    }
  }

  return {
    time,
    given,
    used,
    delivered,
    sentElsewhere,
    signedAboveLimits,
    countedBack,
    book: () => book,
    spending: (day?: string): Promise<AgentSpending> => agent.spending(day),
    reconcile: () => agent.reconcile(),
    atStake,
    /** The seller executes whatever it still can. */
    settleAll: () => {
      for (const { nonce, validBefore } of given.values()) if (time.nowMs() / 1_000 < validBefore) settle(nonce);
    },
    async advance(ms: number) {
      await time.run(time.sleep(ms, new AbortController().signal));
    },
    /** The clock of the agent's machine is set; the chain's is not. */
    setClock(ms: number) {
      aheadMs = ms;
    },
    /** The process ends between two calls and starts anew, with other limits. */
    restart(newLimits: AgentLimits) {
      limits = newLimits;
      agent = start();
    },
    /** Calls at the same time; the process ends at the given effect, if it comes to that, and starts anew. */
    async run(
      calls: readonly WorldCall[],
      script: readonly Behaviour[],
      crashAfter = Number.POSITIVE_INFINITY,
    ): Promise<readonly string[] | 'crashed'> {
      behaviours = script;
      next = 0;
      effectsLeft = crashAfter;
      crash = Promise.withResolvers();
      const ended = Promise.all(calls.map(call));
      const outcome = await time.run(Promise.race([ended, crash.promise]));
      effectsLeft = Number.POSITIVE_INFINITY;
      if (outcome === 'crashed') agent = start();
      return outcome;
    },
  };
}
