// Writes docs/reference/log-events.md from the catalogue. The page is committed; a test holds the two together.
import { writeFileSync } from 'node:fs';
import { LOG_EVENT_SECTIONS } from '@svc-pay/runtime/logging/log-events';

export function logEventsPage(): string {
  const sections = Object.entries(LOG_EVENT_SECTIONS).map(([title, events]) => {
    const rows = Object.entries(events).map(
      ([code, { level, message, whatToDo }]) =>
        `| <a id="${code}"></a>\`${code}\` | ${level} | ${message} | ${whatToDo} |`,
    );
    return `## ${title}\n\n| \`event\` | Level | Meaning | What to do |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Log events

Each line that a service logs is one JSON object. Its \`event\` is one of the codes below: search and alert by it, because
the sentence in \`msg\` may change. The ids that the service has at hand stand beside it: \`intentId\`, \`paymentId\`,
\`batchId\`, \`transactionId\`, \`lane\` (network and relayer), \`network\`, \`relayer\`, \`payoutId\`, \`endpointId\`, \`eventId\`,
\`accountId\`, \`requestId\`. A line about several names how many they are and the first of them, as in \`payments\` and
\`firstPaymentId\`. \`err\` is the error with its stack. The page is made by \`npm run docs:logs\`.

${sections.join('\n')}`;
}

if (import.meta.main) writeFileSync(new URL('../docs/reference/log-events.md', import.meta.url), logEventsPage());
