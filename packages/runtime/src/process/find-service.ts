// The three services by name. They never import each other, and this package imports none: it starts them as processes.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type ServiceName = 'api' | 'settlement' | 'webhooks';

const ENTRIES: Readonly<Record<ServiceName, string>> = {
  api: '../../../../services/api/src/main.ts',
  settlement: '../../../../services/settlement/src/main.ts',
  webhooks: '../../../../services/webhooks/src/main.ts',
};

export const SERVICE_NAMES = Object.keys(ENTRIES) as readonly ServiceName[];

export type Service = { readonly name: string; readonly entry: string };

/** Undefined when this checkout does not contain the service. */
export function findService(name: ServiceName): Service | undefined {
  const entry = fileURLToPath(new URL(ENTRIES[name], import.meta.url));
  return existsSync(entry) ? { name, entry } : undefined;
}
