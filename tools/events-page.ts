// Writes docs/reference/events.md from the schemas of the wire and from events that the rules themselves cause. The page is
// committed; a test holds the two together.
import { readFileSync, writeFileSync } from 'node:fs';
import { EVENT_TYPES, type EventType, intentSnapshot, payment, paymentEvent, paymentIntent } from '@svc-pay/protocol';
import { exampleOf } from './events/examples.ts';
import { fieldTable, meaningsOf } from './events/field-table.ts';

type Told = { readonly when: string; readonly carries: string; readonly note: string };

const TOLD: Readonly<Record<EventType, Told>> = {
  'payment_intent.created': {
    when: 'an intent was created',
    carries: '[payment intent](#payment-intent)',
    note: 'Nobody has paid yet. Most shops need it only for their statistics.',
  },
  x402_upto_authorization_received: {
    when: 'a payer signed a cap, and the header is stored with the intent (EVM, up-to)',
    carries: '[intent snapshot](#intent-snapshot)',
    note: 'No money has moved. Deliver, then settle what it cost ([up-to](../integrate/up-to.md)). It is sent again when another authorization takes the place of the first.',
  },
  'payment_intent.canceled': {
    when: 'an intent was canceled, or expired unpaid, and an endpoint asks for this type by name',
    carries: '[payment intent](#payment-intent)',
    note: 'An addition to the interface: it is written only for accounts with an enabled endpoint that names it. An intent that expires after a failed payment is `failed`, and `payment.failed` tells of that.',
  },
  'payment.created': {
    when: 'a payment has a transaction for the first time, or ends without ever having one',
    carries: '[payment](#payment)',
    note: 'Once per payment, and before every other event of it: right after the first attempt to send the transaction, with status `pending`. It is no proof of payment.',
  },
  'payment.updated': {
    when: 'a payment changed and has not ended: another transaction carries it or none does any more, it is in a block and waits for more confirmations, it is `mismatched`, its block was taken back by the chain, or a part of it was refunded',
    carries: '[payment](#payment), with `previous_attributes`',
    note: 'The example is the one to be ready for: `previous_attributes.status` is `completed`, and the payment is `pending` again because the chain [changed its mind](../operate/reorg.md). `payment.completed` follows a second time when it settles again. When the status is [`mismatched`](../concepts/mismatch.md), compare `requestedAmount` with `paidAmount`; `refundDueAmount` is what your policy gives back. A fee bump changes `transactionId`. `transactionId` is null while the payment waits for another transaction, because the one before can never be mined. With more than one confirmation, `transactionSplitId` is set as soon as a block has the payment.',
  },
  'payment.completed': {
    when: 'the payment is in a block that lies deep enough',
    carries: '[payment](#payment), with `completedAt`',
    note: 'The one to ship goods on.',
  },
  'payment.failed': {
    when: 'it is certain that this payment moves no money, or it was created as failed',
    carries: '[payment](#payment)',
    note: 'The intent may be paid again by another authorization: ask the intent, not this event, whether the order is dead.',
  },
  'payment.cancelled': {
    when: 'the payment was called off before anything was signed for it: a stranger submitted the cap of an up-to intent that nobody settled, and the money goes back',
    carries: '[payment](#payment), with status `canceled`',
    note: 'Two l in the type, one in the status.',
  },
  'payment.refunded': {
    when: 'a completed payment was given back',
    carries: '[payment](#payment), with status `refunded`',
    note: 'What an up-to payment did not use goes back within its own transaction and is no refund.',
  },
};

/** The schema of a payment's event knows six; here all of them have a section. */
const TYPE_ROW = '| `type` | string | always | `"payment.updated"` | One of the nine above |';

export function eventsPage(): string {
  const wire = readFileSync(new URL('../docs/reference/wire.md', import.meta.url), 'utf8');
  const objects = (type: EventType) => exampleOf(type).data.object;
  const envelope = fieldTable(paymentEvent, meaningsOf(wire, 'Event'), exampleOf('payment.updated'), [
    'data',
    'request',
  ]);
  const rows = EVENT_TYPES.map(
    (type) => `| [\`${type}\`](#${anchorOf(type)}) | ${TOLD[type].when} | ${TOLD[type].carries} |`,
  );
  const sections = EVENT_TYPES.map((type) => sectionOf(type));
  return `# Events

What the service posts to your endpoints. Shapes, types and examples are made from the code that validates and writes them
(\`npm run docs:events\`). How to receive them: [your first webhook](../integrate/first-webhook.md).

| Type | Sent when | \`data.object\` |
|---|---|---|
${rows.join('\n')}

An up-to payment usually goes: \`payment_intent.created\`, \`x402_upto_authorization_received\`, and after your settle
\`payment.created\`, perhaps \`payment.updated\`, \`payment.completed\`. Deliveries may arrive in another order: the header
\`X-SVC-Sequence\` grows with every event of an intent.

## Envelope

Every event. The bytes are written once, with the change that caused them, and are the same at every try.

${envelope.replace(/^\| `type` .*$/m, TYPE_ROW)}

Later releases may add fields and types: ignore what you do not know.

## Payment intent

${fieldTable(paymentIntent, meaningsOf(wire, 'Payment intent'), objects('payment_intent.created'))}

## Intent snapshot

${fieldTable(intentSnapshot, meaningsOf(wire, 'Intent snapshot'), objects('x402_upto_authorization_received'))}

## Payment

${fieldTable(payment, meaningsOf(wire, 'Payment'), objects('payment.completed'))}

## Types

${sections.join('\n\n')}
`;
}

function sectionOf(type: EventType): string {
  const { when, carries, note } = TOLD[type];
  const body = JSON.stringify(exampleOf(type), null, 2);
  return `### \`${type}\`\n\nSent when ${when}. Carries: ${carries}. ${note}\n\n\`\`\`json\n${body}\n\`\`\``;
}

const anchorOf = (type: string) => type.replaceAll('.', '');

if (import.meta.main) writeFileSync(new URL('../docs/reference/events.md', import.meta.url), eventsPage());
