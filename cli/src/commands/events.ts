import { EVENT_TYPES } from '@svc-pay/protocol';
import type { Paint } from '@svc-pay/runtime/terminal/paint';
import { Command, Option } from 'commander';
import * as z from 'zod/mini';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { eventPage, type ListedEvent } from '../merchant/event-summary.ts';
import { pathOf } from '../merchant/merchant-api.ts';
import { apiUrlOption, type MerchantOptions, withMerchantApi } from '../merchant/with-merchant-api.ts';
import { type CommandOutcome, done } from '../output/outcome.ts';
import { table } from '../output/table.ts';

type List = MerchantOptions & {
  readonly type?: string;
  readonly intent?: string;
  readonly undelivered?: boolean;
  readonly limit: string;
};
type Resend = MerchantOptions & { readonly endpoint?: string };

export function eventsCommand(surroundings: Surroundings): Command {
  const list = leaf('list', 'Show an account’s events, newest first, with the status of their deliveries.', [
    'events list',
    'events list --type payment.completed --undelivered',
  ])
    .addOption(new Option('--type <type>', 'of this type only').choices(EVENT_TYPES))
    .option('--intent <id>', 'of this intent only')
    .option('--undelivered', 'only events that at least one endpoint has not received')
    .option('--limit <number>', 'maximum number of events, 1 to 100', '25')
    .addOption(apiUrlOption())
    .action(runs<List>(surroundings, listEvents));
  const resend = leaf('resend', 'Send an event again to every subscribed endpoint, or to one.', [
    'events resend evt_…',
    'events resend evt_… --endpoint we_…',
  ])
    .argument('<event>', 'id of the event, evt_…')
    .option('--endpoint <id>', 'to this endpoint only')
    .addOption(apiUrlOption())
    .action(runs<Resend>(surroundings, resendEvent));
  return new Command('events')
    .description('Look at a merchant’s events and send them again. Needs SVC_SECRET_KEY.')
    .addCommand(list)
    .addCommand(resend);
}

async function listEvents(input: Input<List>): Promise<CommandOutcome> {
  const { options, context } = input;
  return withMerchantApi(input, async ({ api }) => {
    const query = {
      type: options.type,
      intentId: options.intent,
      undelivered: options.undelivered === true ? 'true' : undefined,
      limit: options.limit,
    };
    const asked = await api.get('/sdk/events', query, eventPage);
    if (!asked.ok) return asked.failure;
    const { data, hasMore } = asked.value;
    if (data.length === 0) return done(asked.value, 'No such events.');
    return done(
      asked.value,
      [shown(data, context.paint), ...(hasMore ? ['', 'There are older ones.'] : [])].join('\n'),
    );
  });
}

function shown(events: readonly ListedEvent[], paint: Paint): string {
  return table(
    events,
    [
      { head: 'CREATED', cell: ({ createdAt }) => createdAt.slice(0, 19).replace('T', ' ') },
      { head: 'TYPE', cell: ({ type }) => type },
      { head: 'EVENT', cell: ({ id }) => id },
      { head: 'INTENT', cell: ({ paymentIntentId }) => paymentIntentId },
      { head: 'SEQ', cell: ({ sequence }) => String(sequence) },
      { head: 'DELIVERED', cell: ({ deliveries }) => standing(deliveries) },
    ],
    paint,
  );
}

function standing({ pending, succeeded, failed }: ListedEvent['deliveries']): string {
  const all = pending + succeeded + failed;
  if (all === 0) return 'nobody subscribed';
  return [
    `${succeeded} of ${all}`,
    ...(pending > 0 ? [`${pending} pending`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ');
}

const resent = z.object({ deliveries: z.number() });

async function resendEvent(input: Input<Resend>): Promise<CommandOutcome> {
  const {
    options,
    positionals: [event = ''],
  } = input;
  return withMerchantApi(input, async ({ api }) => {
    const body = options.endpoint === undefined ? {} : { endpointId: options.endpoint };
    const asked = await api.post(pathOf`/sdk/events/${event}/resend`, body, resent);
    if (!asked.ok) return asked.failure;
    const { deliveries } = asked.value;
    const text =
      deliveries === 0
        ? `Nobody gets ${event}: no endpoint that is on takes it.`
        : `${event} goes out again: ${deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`}.`;
    return done({ event, deliveries }, text);
  });
}
