import { isUtf8 } from 'node:buffer';
import { typedDataSigner } from '@svc-pay/evm';
import { AgentPayError, createAgent, fileSpendStore, type PaidRequest } from '@svc-pay/sdk/agent';
import type { Command } from 'commander';
import { answerFile } from '../buyer/answer-file.ts';
import { readBuyerConfig } from '../buyer/config.ts';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { misconfigured } from '../command/with-operation.ts';
import { isPlainAddress } from '../merchant/with-merchant-api.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';

type Options = {
  readonly max: string;
  readonly method?: string;
  readonly data?: string;
  readonly header: readonly string[];
  readonly idempotencyKey?: string;
  readonly output?: string;
};

export function payCommand(surroundings: Surroundings): Command {
  return leaf(
    'pay',
    'Request an address and pay what its seller asks by x402, version 1 or 2, within limits. Limits per host and ' +
      'day come from SVC_AGENT_MAX_PER_HOST and SVC_AGENT_MAX_PER_DAY and hold over all calls. The same request is ' +
      'never paid twice while its answer is missing; with --idempotency-key never again.',
    [
      'pay https://api.example.com/weather --max 0.10',
      'pay https://api.example.com/report --max 0.10 --data \'{"year":2026}\' --idempotency-key order-7',
    ],
  )
    .argument('<address>', 'what to request, https or on this machine')
    .requiredOption('--max <amount>', 'most to pay for this request, in whole dollar tokens')
    .option('--method <method>', 'default: GET, or POST with --data')
    .option('--data <text>', 'body of the request; JSON unless a header says otherwise')
    .option('--header <line>', 'header such as "accept: text/plain"; may be repeated', collect, [])
    .option('--idempotency-key <key>', 'name of this purchase: it is paid once, whatever happens')
    .option('--output <file>', 'write the answer to this file')
    .action(runs<Options>(surroundings, pay));
}

const collect = (line: string, before: readonly string[]): readonly string[] => [...before, line];

async function pay({ options, positionals: [address = ''], context }: Input<Options>): Promise<CommandOutcome> {
  if (!isPlainAddress(address)) return misused('pay takes an http or https address, without user and password.');
  const headers = headersOf(options);
  if (headers === undefined) return misused('--header takes a line such as "accept: text/plain".');
  const read = readBuyerConfig(context.environment);
  if (!read.ok) return misconfigured(read.problems);
  const { privateKey, store, maxPerHost, maxPerDay } = read.config;
  const { data, method = data === undefined ? 'GET' : 'POST' } = options;
  const file = options.output === undefined ? undefined : answerFile(options.output);
  if (file?.ok === false) return failed('output_failed', `${file.problem} Nothing was paid.`);
  try {
    const agent = createAgent({
      signer: typedDataSigner(privateKey),
      limits: { perRequest: options.max, perHost: maxPerHost, perDay: maxPerDay },
      store: fileSpendStore(store),
    });
    const init = { method, headers, ...(data !== undefined && { body: data }) };
    const { response, paid } = await agent.pay(address, init);
    const body = Buffer.from(await response.arrayBuffer());
    // Read to its end it counts as delivered, and the next call would buy it again: what can't be written is printed.
    const unwritten = file?.fill(body);
    const isShown = file === undefined || unwritten !== undefined;
    return outcomeOf(response.status, paid, isShown ? textOf(body) : undefined, unwritten);
  } catch (problem) {
    file?.leave();
    if (!(problem instanceof AgentPayError)) throw problem;
    return failed(problem.code, problem.message, ADVICE[problem.code]);
  }
}

/** Bytes that are no text as a data address: nothing of a paid answer is lost. */
const textOf = (body: Buffer): string =>
  isUtf8(body) ? body.toString() : `data:application/octet-stream;base64,${body.toString('base64')}`;

const ADVICE: Readonly<Record<string, string>> = {
  limit_request: 'Raise --max if the price is right.',
  limit_host: 'Raise SVC_AGENT_MAX_PER_HOST, or wait for the next day of UTC.',
  limit_day: 'Raise SVC_AGENT_MAX_PER_DAY, or wait for the next day of UTC.',
  already_paid: 'To buy it again, give the purchase a name of its own: --idempotency-key.',
  payment_expired: 'To pay anyway, give the purchase a name of its own: --idempotency-key.',
};

function headersOf({ header, data, idempotencyKey }: Options): Headers | undefined {
  try {
    const headers = new Headers(
      header.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
    );
    if (data !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
    if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
    return headers;
  } catch {
    return undefined;
  }
}

function outcomeOf(
  status: number,
  paid: PaidRequest | undefined,
  body: string | undefined,
  unwritten: string | undefined,
): CommandOutcome {
  const data = { status, paid: paid ?? null, body: body ?? null };
  const told =
    paid === undefined ? 'Nothing was asked for.' : `Paid ${paid.amount} to ${paid.payTo} on ${paid.network}.`;
  const text = body === undefined || body === '' ? told : `${body.trimEnd()}\n${told}`;
  const report = { data, text };
  if (unwritten !== undefined)
    return { ...failed('output_failed', `${unwritten} The answer is printed instead.`), report };
  return status < 400 ? done(data, text) : { ...failed('seller_refused', `The seller answered ${status}.`), report };
}
