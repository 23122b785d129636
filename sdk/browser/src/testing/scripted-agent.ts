// An agent against a seller whose answers are written down, with everything that it sends and signs.
import type { AgentOptions } from '../agent/agent.ts';
import { AgentPayError } from '../agent/agent-error.ts';
import { createAgent } from '../agent/create-agent.ts';
import { EMPTY_BOOK, type SpendBook } from '../agent/spend-book.ts';
import { PAYER, USDC } from './agent-world.ts';

export const URL_OF_SELLER = 'https://api.example/weather';
export const SELLER = `0x${'11'.repeat(20)}`;
export const OFFER = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: USDC,
  payTo: SELLER,
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};
const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
export const asks = (...accepts: readonly object[]) => challenge({ accepts });
export const challenge = (change: object) =>
  new Response('{}', {
    status: 402,
    headers: {
      'payment-required': json({ x402Version: 2, resource: { url: URL_OF_SELLER }, accepts: [OFFER], ...change }),
    },
  });

export type SentRequest = { readonly url: string; readonly headers: Headers };
type Signed = { readonly domain: object; readonly primaryType: string; readonly message: Record<string, unknown> };

/** An agent against answers in order; the last one is given for ever. */
export function agentFor(
  answers: readonly (() => Response | Promise<Response>)[],
  options: Partial<AgentOptions> = {},
) {
  const sent: SentRequest[] = [];
  const signed: Signed[] = [];
  let book: SpendBook = EMPTY_BOOK;
  const agent = createAgent({
    limits: { perRequest: '0.10', perHost: '0.20', perDay: '0.30' },
    store: {
      update: async (change) => {
        const changed = change(book);
        book = changed.book;
        return changed.result;
      },
    },
    signer: {
      address: PAYER,
      signTypedData: async (data) => {
        signed.push(data);
        return `0x${'ab'.repeat(65)}`;
      },
    },
    ...options,
    ports: {
      nowMs: () => 1_794_872_400_000,
      sleep: (_, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve();
          const timer = setTimeout(resolve, 5);
          signal.addEventListener('abort', () => [clearTimeout(timer), resolve()]);
        }),
      fetch: async (input, init) => {
        sent.push({ url: input as string, headers: new Headers(init?.headers) });
        const answer = answers[Math.min(sent.length, answers.length) - 1];
        if (answer === undefined) throw new Error('no answer');
        return answer();
      },
      ...options.ports,
    },
  });
  const codeOf = async (url = URL_OF_SELLER, init?: RequestInit) => {
    const ended = await agent.fetch(url, init).then(
      (response) => response.status,
      (problem: unknown) => problem,
    );
    return ended instanceof AgentPayError ? ended.code : ended;
  };
  return { agent, sent, signed, codeOf, book: () => book };
}

export const paidHeaders = (sent: readonly SentRequest[]) =>
  sent.flatMap(({ headers }) => headers.get('payment-signature') ?? headers.get('x-payment') ?? []);
export const ok = () => new Response('goods');
