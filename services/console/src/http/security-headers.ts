// Headers of every answer. A page of the console loads its own files alone, runs no script that is written into it, and is never
// framed. Answers that are data load nothing at all.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes markup or script, and no policy is made that would let one: neither the page nor its libraries need that.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
const DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'publickey-credentials-create=(self), publickey-credentials-get=(self), bluetooth=(), camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  'x-robots-tag': 'noindex',
} as const;

export function securityHeaders(of: 'page' | 'data', { secure }: { readonly secure: boolean }): Record<string, string> {
  return {
    ...EVERYWHERE,
    'content-security-policy': of === 'page' ? PAGE_POLICY : DATA_POLICY,
    ...(secure && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
