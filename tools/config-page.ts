// Writes docs/reference/config.md from the settings of every service, and the names of their settings for the process that
// starts them. Both files are committed; a test compares them with the code. A new service joins by its line in SERVICES.
import { writeFileSync } from 'node:fs';
import { ADMIN_SETTINGS } from '@svc-pay/admin/config';
import { API_SETTINGS } from '@svc-pay/api/config';
import { BUYER_SETTINGS } from '@svc-pay/cli/buyer-config';
import { OPERATOR_SETTINGS } from '@svc-pay/cli/config';
import { MERCHANT_SETTINGS } from '@svc-pay/cli/merchant-config';
import { REHEARSE_SETTINGS } from '@svc-pay/cli/rehearse-config';
import { CONSOLE_SETTINGS } from '@svc-pay/console/config';
import { fileNameOf, type Settings, settingsTable } from '@svc-pay/runtime/config';
import { SETTLEMENT_SETTINGS } from '@svc-pay/settlement/config';
import { WEBHOOKS_SETTINGS } from '@svc-pay/webhooks/config';

const SERVICES: readonly { readonly title: string; readonly about: string; readonly settings: Settings }[] = [
  {
    title: 'API',
    about: 'The public HTTP service. It holds no key that opens secrets and none that signs.',
    settings: API_SETTINGS,
  },
  {
    title: 'Settlement',
    about: 'Lanes, watchers and the internal listener. The only process that holds relayer keys.',
    settings: SETTLEMENT_SETTINGS,
  },
  {
    title: 'Webhooks',
    about: 'Sends events to merchants’ endpoints. The only process that dials addresses which merchants chose.',
    settings: WEBHOOKS_SETTINGS,
  },
  {
    title: 'Admin',
    about:
      'Accounts, keys and payouts over HTTP, for operators with a key. Makes API keys and opens none that is stored.',
    settings: ADMIN_SETTINGS,
  },
  {
    title: 'Console',
    about: 'Signs people in with passkeys and relays what they do to the API and the admin service.',
    settings: CONSOLE_SETTINGS,
  },
  {
    title: 'Operator’s command',
    about:
      '`npm run svc`. Each command asks only for the secrets it needs: most for the database alone. What is missing ends it with exit code 1.',
    settings: OPERATOR_SETTINGS,
  },
  {
    title: 'Merchant’s commands',
    about: '`npm run svc -- listen`, `trigger` and `events`: a merchant’s own, over the public API.',
    settings: MERCHANT_SETTINGS,
  },
  {
    title: 'Buyer’s command',
    about: '`npm run svc -- pay`: pays x402 sellers within limits.',
    settings: BUYER_SETTINGS,
  },
  {
    title: 'Rehearsal',
    about: '`npm run svc -- rehearse`: pays a deployment on a test network, with keys of test mode.',
    settings: REHEARSE_SETTINGS,
  },
];

export function configPage(): string {
  const sections = SERVICES.map(
    ({ title, about, settings }) => `## ${title}\n\n${about}\n\n${settingsTable(settings)}\n`,
  );
  return `# Configuration

Every setting is an environment variable. A service reads all of its settings once, at the start; if any does not fit it
names every problem by variable, never by value, and ends with exit code 78. An empty variable counts as absent. Secrets
have no default, and each is read either from its variable or from the file that the variable with \`_FILE\` names. A file
that not only its owner may use (any mode beyond 600) is refused, except in the folder \`CREDENTIALS_DIRECTORY\` of systemd.
This page is made from the code (\`npm run docs:config\`).

${sections.join('\n')}`;
}

const STARTED = {
  api: API_SETTINGS,
  settlement: SETTLEMENT_SETTINGS,
  webhooks: WEBHOOKS_SETTINGS,
  admin: ADMIN_SETTINGS,
  console: CONSOLE_SETTINGS,
};

/** The text of packages/runtime/src/config/service-settings.ts. */
export function serviceSettingsFile(): string {
  const lists = Object.entries(STARTED).map(([service, settings]) => {
    const names = Object.values<Settings[string]>(settings)
      .flatMap(({ name, secret }) => (secret ? [name, fileNameOf(name)] : [name]))
      .map((name) => `    '${name}',\n`);
    return `  ${service}: [\n${names.join('')}  ],\n`;
  });
  return `// The names of the settings of each service. Made from the code (\`npm run docs:config\`).
export const SERVICE_SETTINGS = {
${lists.join('')}} as const;
`;
}

if (import.meta.main) {
  writeFileSync(new URL('../docs/reference/config.md', import.meta.url), configPage());
  const names = new URL('../packages/runtime/src/config/service-settings.ts', import.meta.url);
  writeFileSync(names, serviceSettingsFile());
}
