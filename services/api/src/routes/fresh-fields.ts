// Fields that are not stored with an answer: they are made anew when an idempotent request is repeated.
import { type Answer, type Caller, clientSecretOf } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type { ApiPorts } from '../ports.ts';

/** The answer with these as its last fields. */
export function withFields(answer: Answer, fields: Readonly<Record<string, unknown>>): Answer {
  const added = JSON.stringify(fields);
  return added === '{}' ? answer : { ...answer, body: `${answer.body.slice(0, -1)},${added.slice(1)}` };
}

/** The client secret of the intent, for the server that hands it to its page. */
export function secretFor(
  { peppers }: Pick<ApiPorts, 'peppers'>,
  caller: Caller,
  intentId: Id<'paymentIntent'>,
): { readonly clientSecret?: string } {
  return caller.kind === 'secret' ? { clientSecret: clientSecretOf(peppers[0], caller, intentId) } : {};
}
