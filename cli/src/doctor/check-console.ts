// Checks the settings of the console: passkeys need TLS and a host name that is its own, and it reaches the services behind it.
import { type Finding, findingsOf } from './finding.ts';
import type { Installation } from './installation.ts';

/** Nothing where the installation has no console. */
export function checkConsole({ environments }: Installation): readonly Finding[] {
  const settings = environments.get('console');
  if (settings === undefined) return [];
  const findings = [
    ...checkAddress(settings['SVC_CONSOLE_URL'] ?? '', environments.get('api')?.['SVC_API_PUBLIC_URL'] ?? ''),
    ...checkTrust(settings['SVC_CONSOLE_TRUSTED_PROXIES']),
  ];
  return findings.length > 0
    ? findings
    : [findingsOf('configuration', 'console').ok('The console has TLS, a name of its own and a proxy that it trusts.')];
}

function checkAddress(url: string, apiUrl: string): readonly Finding[] {
  const { problem } = findingsOf('configuration', 'SVC_CONSOLE_URL');
  if (!URL.canParse(url)) return [problem('SVC_CONSOLE_URL is no address.', 'Set the origin of the console.')];
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && hostname !== 'localhost')
    return [problem('The console has no TLS: browsers offer no passkeys.', 'Set an https address.')];
  if (URL.canParse(apiUrl) && new URL(apiUrl).hostname === hostname)
    return [
      problem(
        'The console has the host name of the API: its cookie is sent there too.',
        'Give the console a name of its own. Passkeys belong to the name: people need new ones.',
      ),
    ];
  return [];
}

function checkTrust(proxies: string | undefined): readonly Finding[] {
  if (proxies === undefined || proxies.trim() !== '') return [];
  return [
    findingsOf('configuration', 'SVC_CONSOLE_TRUSTED_PROXIES').problem(
      'The console trusts no proxy: all people are one address and share the limit of sign-ins.',
      'Name the addresses of your proxies.',
    ),
  ];
}
