import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES } from '@svc-pay/protocol';
import { stopSignal } from '@svc-pay/runtime/process/stop-signal';
import type { Command } from 'commander';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { createFollower, type Followed, LATE_MS } from '../merchant/follow-events.ts';
import { createForward, type Forwarded, forwardSecretOf } from '../merchant/forward-event.ts';
import { listWith, StoppedAsking } from '../merchant/list-events.ts';
import { readSince } from '../merchant/read-since.ts';
import {
  apiUrlOption,
  isPlainAddress,
  type MerchantOptions,
  type OpenedApi,
  withMerchantApi,
} from '../merchant/with-merchant-api.ts';
import { type CommandOutcome, done, failed, misused } from '../output/outcome.ts';
import { harmless } from '../output/table.ts';

type Options = MerchantOptions & {
  readonly forwardTo: string;
  readonly types?: string;
  readonly since?: string;
  readonly count?: string;
};

const EVERY_MS = 1_000;

export function listenCommand(surroundings: Surroundings): Command {
  return leaf(
    'listen',
    'Forward an account’s events to an address, such as a receiver on your own machine, until Ctrl-C. Each ' +
      'request is signed like a delivery. The command reads events with the secret key from the public API and ' +
      'needs no endpoint.',
    [
      'listen --forward-to http://127.0.0.1:3000/webhooks',
      'listen --forward-to http://127.0.0.1:3000/webhooks --types payment.completed,payment.failed',
      'listen --forward-to http://127.0.0.1:3000/webhooks --since 2h',
    ],
  )
    .requiredOption('--forward-to <address>', 'address that receives the events')
    .option('--types <list>', 'only these types, with commas between')
    .option('--since <moment>', 'first event: an event id, a time (ISO 8601) or an age (10m, 2h, 1d); default: now')
    .option('--count <number>', 'stop after this number of events')
    .addOption(apiUrlOption())
    .action(runs<Options>(surroundings, listen));
}

async function listen(input: Input<Options>): Promise<CommandOutcome> {
  const { forwardTo, types: list, count: countText } = input.options;
  if (!isPlainAddress(forwardTo))
    return misused('--forward-to takes an http or https address, without user and password.');
  const types = list?.split(',').map((type) => type.trim());
  const unknown = types?.find((type) => !EVENT_TYPES.some((known) => known === type));
  if (unknown !== undefined)
    return misused(`--types: no such type: ${harmless(unknown)}`, `There are: ${EVENT_TYPES.join(', ')}.`);
  if (countText !== undefined && !/^[1-9]\d{0,6}$/.test(countText))
    return misused('--count takes a whole number from 1 on.');
  return withMerchantApi(input, async (opened) => {
    const since = await readSince(opened.api, input.options.since, input.context.clock.nowMs());
    if (!since.ok) return since.failure;
    return forwardAll(input, opened, {
      // Goes back by LATE_MS to include events that were committed late. Receivers de-duplicate by id.
      sinceMs: since.eventId === undefined ? since.atMs : (since.atMs ?? 0) - LATE_MS,
      skip: since.eventId,
      types: types && new Set(types),
      most: countText === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(countText, 10),
    });
  });
}

type Wanted = {
  readonly sinceMs: number | undefined;
  readonly skip: string | undefined;
  readonly types: ReadonlySet<string> | undefined;
  readonly most: number;
};

async function forwardAll(
  { options, context }: Input<Options>,
  { api, secretKey }: OpenedApi,
  { sinceMs, skip, types, most }: Wanted,
): Promise<CommandOutcome> {
  const { print, paint, clock } = context;
  const stopped = stopSignal();
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  const forward = createForward(options.forwardTo, secretKey, clock);
  const list = listWith(api, { print, stopping: stopping.signal });
  const follower = createFollower(list, sinceMs);
  const told = { forwarded: 0, refused: 0, last: null as string | null };
  try {
    // The first poll sets the starting point; only then is the command ready.
    let found = await follower.poll();
    print(`Forwarding to ${harmless(options.forwardTo)}. Ctrl-C stops it.\n`);
    print(
      '  X-SVC-Signature is signed with your secret key, webhook-signature with ' +
        `${paint.bold(forwardSecretOf(secretKey))}\n`,
    );
    for (; !stopping.signal.aborted; found = await follower.poll()) {
      for (const event of found.filter(({ id, type }) => id !== skip && (types?.has(type) ?? true))) {
        const answer = await forward(event);
        print(`${lineOf(event, answer, context)}\n`);
        told.forwarded += 1;
        told.last = event.id;
        if (!isTaken(answer)) told.refused += 1;
        if (told.forwarded >= most || stopping.signal.aborted) return ended(told);
      }
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  } catch (problem) {
    if (!(problem instanceof StoppedAsking)) throw problem;
    if (problem.failure !== undefined) return problem.failure;
  }
  return ended(told);
}

const isTaken = ({ status }: Forwarded) => status !== undefined && status >= 200 && status < 300;

function lineOf({ id, type, createdAt }: Followed, answer: Forwarded, { paint }: Input<Options>['context']): string {
  const result = answer.status === undefined ? (answer.problem ?? '') : String(answer.status);
  const painted = isTaken(answer) ? paint.good(result) : paint.bad(result);
  return `${createdAt.slice(11, 19)}  ${harmless(type).padEnd(32)}  ${harmless(id)}  ${painted}  ${answer.ms} ms`;
}

function ended(told: {
  readonly forwarded: number;
  readonly refused: number;
  readonly last: string | null;
}): CommandOutcome {
  const resume = told.last === null ? '' : ` Go on from here with --since ${told.last}.`;
  const text = `${told.forwarded} forwarded, ${told.refused} of them not taken.${resume}`;
  if (told.refused === 0) return done(told, text);
  return { ...failed('not_taken', `${told.refused} events were not taken.`), report: { data: told, text } };
}
