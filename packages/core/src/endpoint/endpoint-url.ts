// Checks a webhook endpoint's URL when it is saved and again before every connection: the rules may have changed since,
// and a row may come from elsewhere.
import type { Mode } from '../account/mode.ts';
import { parseIp } from './ip-address.ts';

export type UrlPolicy = {
  readonly mode: Mode;
  readonly deniedPorts: ReadonlySet<number>;
};

export type UrlProblem =
  | 'url_malformed'
  | 'url_scheme'
  | 'url_has_credentials'
  | 'url_port_denied'
  | 'url_is_an_address'
  | 'url_too_long';

export type EndpointTarget = {
  /** Scheme, host and port for the connection. */
  readonly origin: string;
  /** A host name, or an address without brackets. */
  readonly hostname: string;
  readonly isAddress: boolean;
  readonly port: number;
  readonly secure: boolean;
  readonly pathAndQuery: string;
};

export type CheckedUrl =
  | { readonly ok: true; readonly target: EndpointTarget }
  | { readonly ok: false; readonly code: UrlProblem };

/** Ports of other protocols that an HTTP request could still harm. */
export const DENIED_PORTS: readonly number[] = [
  7, 9, 13, 19, 21, 22, 23, 25, 37, 42, 53, 69, 79, 110, 111, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445,
  465, 512, 513, 514, 515, 526, 540, 548, 554, 587, 601, 636, 873, 989, 990, 993, 995, 1433, 1521, 1723, 2049, 2181,
  2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4369, 5060, 5061, 5432, 5672, 5900, 5984, 6000, 6379, 6443, 6666,
  6667, 8500, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 27017,
];

const MAX_CHARACTERS = 2_048;
// URL parsers read `\` as `/` and drop tabs and line ends; legitimate URLs have none of them.
const SUSPICIOUS = /[\s\\\p{Cc}]/u;

export function checkEndpointUrl(text: string, { mode, deniedPorts }: UrlPolicy): CheckedUrl {
  if (text.length > MAX_CHARACTERS) return refuse('url_too_long');
  if (SUSPICIOUS.test(text) || !URL.canParse(text)) return refuse('url_malformed');
  const url = new URL(text);
  if (url.protocol !== 'https:' && (mode === 'live' || url.protocol !== 'http:')) return refuse('url_scheme');
  if (url.username !== '' || url.password !== '') return refuse('url_has_credentials');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number.parseInt(url.port, 10);
  if (port === 0 || deniedPorts.has(port)) return refuse('url_port_denied');
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isAddress = parseIp(hostname) !== undefined;
  if (isAddress && mode === 'live') return refuse('url_is_an_address');
  return {
    ok: true,
    target: {
      origin: url.origin,
      hostname,
      isAddress,
      port,
      secure,
      pathAndQuery: `${url.pathname}${url.search}`,
    },
  };
}

function refuse(code: UrlProblem): CheckedUrl {
  return { ok: false, code };
}
