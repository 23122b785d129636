// Checks what a merchant may save. Stricter than the check before every connection: a local host name, or an address
// that would be refused there, is refused at once.
import { HEADER_MASK } from '@svc-pay/protocol/merchant';
import { type CustomHeaders, customHeaderProblem } from './custom-headers.ts';
import { isDeniedAddress } from './denied-address.ts';
import { checkEndpointUrl, type UrlPolicy, type UrlProblem } from './endpoint-url.ts';

export type NewUrlPolicy = UrlPolicy & {
  /** The operator's setting; it applies in test mode only. */
  readonly allowLoopback: boolean;
};

export type NewUrlProblem = UrlProblem | 'url_address_denied';

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain)\.?$/i;
const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;

/** Undefined when deliveries may go to the URL. */
export function judgeNewUrl(url: string, policy: NewUrlPolicy): NewUrlProblem | undefined {
  const checked = checkEndpointUrl(url, policy);
  if (!checked.ok) return checked.code;
  const { hostname, isAddress } = checked.target;
  const allowLoopback = policy.allowLoopback && policy.mode === 'test';
  const denied = isAddress
    ? isDeniedAddress(hostname, { allowLoopback, alsoDenied: [] })
    : LOCAL_NAME.test(hostname) && !(allowLoopback && LOOPBACK_NAME.test(hostname));
  return denied ? 'url_address_denied' : undefined;
}

/** The first name that can't be saved. A mask that a client read and sent back would overwrite the value behind it. */
export function judgeNewHeaders(headers: CustomHeaders): string | null {
  const masked = Object.entries(headers).find(([, value]) => value === HEADER_MASK);
  return customHeaderProblem(headers) ?? masked?.[0] ?? null;
}
