// The processes that make up the service. They never import each other, and this command imports none of them: it starts
// them.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type ServiceName = 'api' | 'settlement' | 'webhooks';

const ENTRIES: Readonly<Record<ServiceName, string>> = {
  api: '../../../api/src/main.ts',
  settlement: '../../../settlement/src/main.ts',
  webhooks: '../../../webhooks/src/main.ts',
};

export const SERVICE_NAMES = Object.keys(ENTRIES) as readonly ServiceName[];

export type Service = { readonly name: string; readonly entry: string };

/** Undefined when this checkout does not have it. */
export function findService(name: ServiceName): Service | undefined {
  const entry = fileURLToPath(new URL(ENTRIES[name], import.meta.url));
  return existsSync(entry) ? { name, entry } : undefined;
}
