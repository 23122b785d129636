// The services by name. They never import each other, and this package imports none: it starts them as processes.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type ServiceName = 'api' | 'settlement' | 'webhooks' | 'admin' | 'console';

const ENTRIES: Readonly<Record<ServiceName, string>> = {
  api: '../../../../services/api/src/main.ts',
  settlement: '../../../../services/settlement/src/main.ts',
  webhooks: '../../../../services/webhooks/src/main.ts',
  admin: '../../../../services/admin/src/main.ts',
  console: '../../../../services/console/src/main.ts',
};

/** What payments need. The admin service and the console are started by their own names, each with a database role of its own. */
export const SERVICE_NAMES = ['api', 'settlement', 'webhooks'] as const satisfies readonly ServiceName[];

export type Service = { readonly name: ServiceName; readonly entry: string };

/** Undefined when this checkout does not contain the service. */
export function findService(name: ServiceName): Service | undefined {
  const entry = fileURLToPath(new URL(ENTRIES[name], import.meta.url));
  return existsSync(entry) ? { name, entry } : undefined;
}
