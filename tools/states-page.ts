// Writes docs/concepts/states.md from the two state tables. The page is committed; a test holds the two together.
import { writeFileSync } from 'node:fs';
import { diagramOf, INTENT_TRANSITIONS, PAYMENT_TRANSITIONS } from '@svc-pay/core';

export function statesPage(): string {
  return `# States

An intent is what a merchant asked for; a payment is one attempt to pay it. Each moves only along the arrows below: the
diagrams are made from the tables that the code obeys (\`npm run docs:states\`).

## Intent

\`requires_payment\` waits for the payer. \`processing\` means that an authorization was taken and its outcome is not known
yet. An attempt that failed without moving money gives the intent back. An intent that expires unpaid is \`canceled\`. A
\`completed\` intent goes back to \`processing\` only when the chain takes its block back.

\`\`\`mermaid
${diagramOf(INTENT_TRANSITIONS, 'requires_payment')}
\`\`\`

## Payment

\`canceled\` means that the relayer never signed for it, so nothing can have moved. \`failed\` is said only when it is
certain; until then the payment is \`pending\`. \`mismatched\` carries the requested and the paid amount.

\`\`\`mermaid
${diagramOf(PAYMENT_TRANSITIONS, 'pending')}
\`\`\`
`;
}

if (import.meta.main) writeFileSync(new URL('../docs/concepts/states.md', import.meta.url), statesPage());
