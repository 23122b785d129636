// Whether a request comes from the pages of the console. The cookie is SameSite=Strict; this holds as well where a browser sends it.
import type { IncomingHttpHeaders } from 'node:http';

const READS = new Set(['GET', 'HEAD']);

/**
 * A change names its origin and bears a header that no form and no page of another origin can send. A read says where it comes
 * from, if the browser does.
 */
export function isFromConsole(method: string, headers: IncomingHttpHeaders, origin: string): boolean {
  if (READS.has(method)) return (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
  return headers.origin === origin && headers['x-svc-console'] === '1';
}
