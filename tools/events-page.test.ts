import { readFileSync } from 'node:fs';
import { EVENT_TYPES, webhookEvent } from '@svc-pay/protocol';
import { readWebhookEvent } from '@svc-pay/protocol/webhook';
import { expect, test } from 'vitest';
import { exampleOf } from './events/examples.ts';
import { eventsPage } from './events-page.ts';

const page = readFileSync('docs/reference/events.md', 'utf8');

test('the events page shows schemas and events as they are', () => {
  expect(page).toBe(eventsPage());
});

test.each(EVENT_TYPES)('the example of %s on the page is an event that a receiver reads', (type) => {
  const section = page.split(`\n### \`${type}\`\n`)[1] ?? '';
  const [, body = ''] = /```json\n(.*?)\n```/s.exec(section) ?? [];
  expect(readWebhookEvent(Buffer.from(body))).toMatchObject({ ok: true, known: true, event: { type } });
  const event = webhookEvent.parse(JSON.parse(body));
  expect(event).toEqual(JSON.parse(body));
  expect(event).toEqual(exampleOf(type));
});
