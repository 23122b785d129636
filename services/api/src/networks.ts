// What an operator runs on each network, as configuration: { "eip155:8453": { "processor": "0x…", … } }.
import { readFileSync } from 'node:fs';
import { json, type Setting, type SettingText, setting } from '@svc-pay/config';
import { CHAINS, type NetworkSetup } from '@svc-pay/core';
import { parseNetwork } from '@svc-pay/protocol';
import * as z from 'zod/mini';

const networkSetup = z.strictObject({
  processor: z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/)),
  processorVersion: z.string().check(z.regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/)),
  ready: z.boolean(),
  // For the processes that dial chains: one JSON serves them all, and the API forgets what it must not know.
  rpcUrls: z.optional(z.array(z.string())),
  rpcUrlPublic: z.optional(z.url()),
});

const FORM =
  'JSON: CAIP-2 name → `processor` (0x address), `processorVersion` (`1.3.0`), `ready` (true or false), `rpcUrlPublic` (optional)';

type Networks = ReadonlyMap<string, NetworkSetup>;

export const networksJson = (about: SettingText): Setting<Networks> => json(about, FORM, networksFrom);

export const networksFile = (about: SettingText): Setting<Networks> =>
  setting(about, {
    form: 'path of a readable file with that JSON',
    read: (path) => {
      try {
        return networksFrom(JSON.parse(readFileSync(path, 'utf8')));
      } catch {
        return undefined;
      }
    },
  });

function networksFrom(value: unknown): Networks | undefined {
  const parsed = z.record(z.string(), networkSetup).safeParse(value);
  if (!parsed.success) return undefined;
  const networks = new Map<string, NetworkSetup>();
  for (const [name, { rpcUrlPublic, processor, processorVersion, ready }] of Object.entries(parsed.data)) {
    const network = parseNetwork(name);
    if (network === undefined || !CHAINS.some((chain) => chain.network === network)) return undefined;
    networks.set(network, { processor, processorVersion, ready, ...(rpcUrlPublic !== undefined && { rpcUrlPublic }) });
  }
  return networks;
}
