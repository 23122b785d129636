// Checks how the API is seen from outside: its address, the origins that may call it, and the proxies that it trusts.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { findChain, isWithin, parseRange, readClientAddress, unmapRange } from '@svc-pay/core';
import { parseNetwork } from '@svc-pay/protocol';
import { COMPOSE_FILE } from '../init/compose.ts';
import { NETWORKS_FILE } from '../init/folder-layout.ts';
import { type Finding, findingsOf } from './finding.ts';
import { type Installation, listOf } from './installation.ts';

/** Fewer fixed bits than this are more than the machines of one operator. */
const MIN_BITS = { 4: 16, 6: 48 } as const;
const BITS = { 4: 32, 6: 128 } as const;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function checkEdge(installation: Installation): readonly Finding[] {
  const api = installation.environments.get('api');
  if (api === undefined) return [];
  const live = hasLiveNetwork(installation);
  const findings = [
    ...checkPublicUrl(api['SVC_API_PUBLIC_URL'], live),
    ...checkOrigins(listOf(api['SVC_API_CORS_ORIGINS'] || '*'), live),
    ...checkProxies(listOf(api['SVC_API_TRUSTED_PROXIES']), api['SVC_API_PUBLIC_URL']),
    ...checkHops(installation, listOf(api['SVC_API_TRUSTED_PROXIES']), api['SVC_API_TRUSTED_HOPS'] || '1'),
    ...checkContainers(installation.folder, listOf(api['SVC_API_TRUSTED_PROXIES'])),
    ...checkListeners(installation),
  ];
  return findings.length > 0
    ? findings
    : [findingsOf('configuration', 'edge').ok('Address, origins and proxies of the API fit together.')];
}

function checkPublicUrl(url: string | undefined, live: boolean): readonly Finding[] {
  const { problem } = findingsOf('configuration', 'SVC_API_PUBLIC_URL');
  if (!url) return [problem('SVC_API_PUBLIC_URL is not set.', 'Set the address of the API from outside.')];
  if (!live || url.startsWith('https://')) return [];
  return [problem('Beside a live network the public address has no TLS.', 'Set an https address.')];
}

function checkOrigins(origins: readonly string[], live: boolean): readonly Finding[] {
  const { problem, warning } = findingsOf('configuration', 'SVC_API_CORS_ORIGINS');
  const wrong = origins.find(
    (origin) => origin !== '*' && (!URL.canParse(origin) || new URL(origin).origin !== origin),
  );
  if (wrong !== undefined)
    return [problem(`${wrong} is no origin: pages of it are refused.`, 'Write such as https://shop.example.com.')];
  if (!origins.includes('*')) return [];
  const text = 'Every page may call the API with a publishable key.';
  const advice = 'Name the origins of your pages.';
  return [live ? problem(text, advice) : warning(text, advice)];
}

function checkProxies(proxies: readonly string[], publicUrl: string | undefined): readonly Finding[] {
  const { problem } = findingsOf('configuration', 'SVC_API_TRUSTED_PROXIES');
  const local = publicUrl !== undefined && URL.canParse(publicUrl) && LOOPBACK.test(new URL(publicUrl).hostname);
  if (proxies.length === 0)
    return local
      ? []
      : [
          problem(
            'No proxy is trusted, and the API is behind one: all clients are one address and share its limits.',
            'Name the addresses of your proxies.',
          ),
        ];
  return proxies.flatMap((proxy) => {
    const read = parseRange(proxy);
    if (read === undefined) return [problem(`${proxy} is no address and no range.`, 'Write addresses or CIDR ranges.')];
    const { family, first, last } = unmapRange(read);
    if (last - first < 1n << BigInt(BITS[family] - MIN_BITS[family])) return [];
    return [
      problem(
        `${proxy} trusts strangers: whoever connects from there chooses the address that limits and the deny list see.`,
        'Name the addresses of your proxies alone.',
      ),
    ];
  });
}

function checkHops({ environments }: Installation, proxies: readonly string[], hops: string): readonly Finding[] {
  // The console stands beside the proxies: no request of a payer passes it.
  const behindEachOther = proxies.length - (environments.has('console') ? 1 : 0);
  if (behindEachOther < 2 || hops.trim() !== '1') return [];
  return [
    findingsOf('configuration', 'SVC_API_TRUSTED_HOPS').warning(
      'SVC_API_TRUSTED_HOPS is 1, and several proxies are trusted: if a request passes two, all clients are one address.',
      'Set how many proxies a request passes; leave 1 if they stand side by side.',
    ),
  ];
}

/** What the compose file has before the API, by the name of the container. */
const BEFORE_API = { caddy: ['Caddy', 'clients'], console: ['the console', 'people who are signed in'] } as const;

/** Addresses that the compose file gives to what is before the API. */
function checkContainers(folder: string, proxies: readonly string[]): readonly Finding[] {
  const file = path.join(folder, COMPOSE_FILE);
  if (proxies.length === 0 || !existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const ranges = proxies.map(parseRange);
  return Object.entries(BEFORE_API).flatMap(([container, [name, whose]]) => {
    const own = new RegExp(`^  ${container}:\\n((?:    .*\\n)+)`, 'm').exec(text)?.[1] ?? '';
    const [, given = ''] = /\bipv4_address:\s*["']?([\d.]+)/.exec(own) ?? [];
    const address = readClientAddress(given);
    if (address === undefined || ranges.some((range) => range !== undefined && isWithin(address, range))) return [];
    return [
      findingsOf('configuration', 'SVC_API_TRUSTED_PROXIES').warning(
        `The API does not trust ${name}, which has ${given} in ${COMPOSE_FILE}: all ${whose} are one address and share its limits.`,
        `Add ${given} to SVC_API_TRUSTED_PROXIES in api.env${container === 'caddy' ? ', and count Caddy in SVC_API_TRUSTED_HOPS' : ''}.`,
      ),
    ];
  });
}

/** Outside of containers a listener on all addresses is on the internet. */
function checkListeners({ folder, environments }: Installation): readonly Finding[] {
  if (existsSync(path.join(folder, COMPOSE_FILE))) return [];
  return [...environments].flatMap(([program, environment]) =>
    Object.entries(environment)
      .filter(([name, value]) => name.endsWith('_HOST') && (value === '0.0.0.0' || value === '::'))
      .map(([name]) =>
        findingsOf('configuration', name).warning(
          `${name} of ${program} binds every address of the machine.`,
          'Bind 127.0.0.1 or an address of a private network.',
        ),
      ),
  );
}

function hasLiveNetwork({ folder }: Installation): boolean {
  try {
    const networks = JSON.parse(readFileSync(path.join(folder, NETWORKS_FILE), 'utf8')) as object;
    return Object.keys(networks).some((name) => {
      const id = parseNetwork(name);
      return id !== undefined && findChain(id)?.mode === 'live';
    });
  } catch {
    // Networks that can't be read may be live ones.
    return true;
  }
}
