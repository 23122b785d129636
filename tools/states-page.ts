// Writes docs/concepts/states.md from the tables of all state machines. The page is committed; a test holds the two
// together.
import { writeFileSync } from 'node:fs';
import { diagramOf, STATE_MACHINES, statusesIn, type Transitions } from '@svc-pay/core';

const ABOUT: Readonly<Record<keyof typeof STATE_MACHINES, readonly [title: string, about: string]>> = {
  account: ['Account', 'An account is a merchant.'],
  payout: ['Payout', 'A payout is a set of terms by which a payment is divided, as it is registered on chain.'],
  intent: ['Intent', 'An intent is what a merchant asked to be paid.'],
  payment: ['Payment', 'A payment is one attempt to pay an intent. Merchants see its status, and events tell them.'],
  settlement: ['Settlement', 'A settlement is the work of one payment in the queue.'],
  refund: ['Refund', 'A refund is money of a payment on its way back, from a wallet of the merchant.'],
  batch: ['Batch', 'A batch is the payments of one nonce of a lane, with every transaction signed for them.'],
  relayer: ['Relayer', 'A relayer is a key that signs and pays for transactions; operators change its status.'],
  stranded: [
    'Stranded transfer',
    'A stranded transfer is money of an authorization that somebody else submitted and that lies with the processor.',
  ],
  endpoint: ['Webhook endpoint', 'A webhook endpoint is a URL of a merchant that gets events.'],
  delivery: ['Delivery', 'A delivery is one event on its way to one webhook endpoint.'],
  event_replay: ['Event replay', 'A replay sends a range of stored events to an endpoint again.'],
};

export function statesPage(): string {
  const sections = Object.entries<Transitions<string>>(STATE_MACHINES).map(([name, table]) => {
    const [title, about] = ABOUT[name as keyof typeof ABOUT];
    const states = statusesIn(table).map((status) => wrapped(`- \`${status}\`: ${table.states[status]?.about}`, '  '));
    return [`## ${title}`, about, states.join('\n'), `\`\`\`mermaid\n${diagramOf(table)}\n\`\`\``].join('\n\n');
  });
  const intro = `Every row moves only along the arrows of its diagram: diagrams and sentences are made from the tables that the
code obeys (\`npm run docs:states\`). An arrow labelled \`reorg\` is taken only when the chain takes back what it had shown,
\`restore\` only by [\`svc recover\`](../operate/restore.md). An arrow labelled \`unwritten\` is understood by all readers, and no
statement takes it.`;
  return `${['# States', intro, ...sections].join('\n\n')}\n`;
}

const WIDTH = 120;

function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined) lines.push(word);
    else if (line.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines.join('\n');
}

if (import.meta.main) writeFileSync(new URL('../docs/concepts/states.md', import.meta.url), statesPage());
