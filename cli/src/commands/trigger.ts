import { EVENT_TYPES } from '@svc-pay/protocol';
import { Argument, type Command } from 'commander';
import * as z from 'zod/mini';
import type { Input } from '../command/context.ts';
import { leaf, runs, type Surroundings } from '../command/leaf.ts';
import { pathOf } from '../merchant/merchant-api.ts';
import { apiUrlOption, type MerchantOptions, withMerchantApi } from '../merchant/with-merchant-api.ts';
import { type CommandOutcome, done } from '../output/outcome.ts';

type Options = MerchantOptions & { readonly endpoint?: string };

const triggered = z.object({ eventId: z.string(), deliveries: z.optional(z.number()) });

export function triggerCommand(surroundings: Surroundings): Command {
  return leaf(
    'trigger',
    'Create a sample event, in test mode only; no payment is made. Every subscribed endpoint and every running ' +
      '`listen` receives it.',
    ['trigger payment.completed', 'trigger payment.failed --endpoint we_…'],
  )
    .addArgument(new Argument('<type>', 'which event').choices(EVENT_TYPES))
    .option('--endpoint <id>', 'to this endpoint only')
    .addOption(apiUrlOption())
    .action(runs<Options>(surroundings, trigger));
}

async function trigger(input: Input<Options>): Promise<CommandOutcome> {
  const {
    options: { endpoint },
    positionals: [type = ''],
  } = input;
  return withMerchantApi(input, async ({ api }) => {
    const path = endpoint === undefined ? '/sdk/events/trigger' : pathOf`/sdk/webhooks/endpoints/${endpoint}/test`;
    const asked = await api.post(path, { type }, triggered);
    if (!asked.ok) return asked.failure;
    const { eventId, deliveries = 1 } = asked.value;
    const to = deliveries === 1 ? 'one endpoint' : `${deliveries} endpoints`;
    return done({ eventId, deliveries }, `${eventId} ${type}: a sample for ${deliveries === 0 ? 'no endpoint' : to}.`);
  });
}
