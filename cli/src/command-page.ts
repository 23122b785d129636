// Writes docs/operate/command.md from the command's help. The page is committed; a test compares the two.
import { writeFileSync } from 'node:fs';
import { paintFor } from '@svc-pay/runtime/terminal/paint';
import { allCommands, buildProgram } from './command/program.ts';

const WIDTH = 100;

export function commandPage(): string {
  const context = {
    clock: { nowMs: () => 0 },
    environment: {},
    paint: paintFor(false),
    print: () => {},
    ask: undefined,
  };
  const program = buildProgram({ context, report: () => {} });
  const [, ...commands] = allCommands(program);
  const sections = commands
    .filter((command) => command.commands.length === 0)
    .map((command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => WIDTH }).outputHelp();
      const [usage = '', ...rest] = help.trimEnd().split('\n');
      const name = usage.replace(/^Usage: npm run svc -- /, '').replace(/ [[<].*$/, '');
      return `## ${name}\n\n\`\`\`text\n${[usage, ...rest].join('\n')}\n\`\`\`\n`;
    });
  return `# The operator's command

Made from the command's own help by \`npm run docs:command\`.

\`\`\`sh runnable
npm run --silent svc -- tokens list --mode test
\`\`\`

\`\`\`text prints
SHORTCODE … SYMBOL … CHAIN … MODE … ADDRESS … DECIMALS … SIGNING … PRICE
basesepolia_usdc … USDC … Base Sepolia … test … 0x036CbD53842c5426634e7929541eC2318f3dCF7e … 6 … TransferWithAuthorization … 1 USD
\`\`\`

- **Secrets come from the environment**, never from the command line, where every user of the machine could read them:
  \`SVC_DATABASE_URL\`, \`SVC_KEY_PEPPER\` (base64, 32 bytes or more), \`SVC_MASTER_KEYS\` (\`1:\` and base64 of 32 bytes;
  a new one goes in front, an old one stays behind it as long as it has sealed something). A command asks only for those
  it needs and names all that are missing at once.
- **Networks** come from \`SVC_NETWORKS\` or \`SVC_NETWORKS_FILE\`: JSON keyed by CAIP-2 name, each with \`processor\`,
  \`processorVersion\`, \`ready\`, and for the doctor \`rpcUrls\`.
- **Who did it** is on record with every change, as \`operator:\` and the id of the operator whose key is in
  \`SVC_OPERATOR_KEY\`; without a key \`SVC_OPERATOR\` or the user of the machine. With \`SVC_ADMIN_URL\` the commands on
  accounts, keys and payouts call the [admin API](admin-api.md).
- **\`--json\`** prints one document on standard output whatever happens: the result, or \`error\`, \`message\` and
  \`advice\`. Exit codes: 0 done, 1 failed, 64 called wrongly.
- A secret key is shown when it is made and never again.

${sections.join('\n')}`;
}

if (import.meta.main) writeFileSync(new URL('../../docs/operate/command.md', import.meta.url), commandPage());
