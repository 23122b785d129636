// Verification written only from the published text, independent of this project's code, as a merchant would write it.
import { createHmac, timingSafeEqual } from 'node:crypto';

export function verifyByTheText(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  accountSecretKey: string,
  nowSeconds: number,
): boolean {
  const header = headers['x-svc-signature'];
  if (typeof header !== 'string') return false;
  const parts = new Map(header.split(',').map((part) => part.split('=') as [string, string]));
  const t = parts.get('t') ?? '';
  const v1 = parts.get('v1') ?? '';
  const expected = createHmac('sha256', accountSecretKey).update(`${t}.`).update(body).digest('hex');
  if (v1.length !== expected.length || !timingSafeEqual(Buffer.from(v1), Buffer.from(expected))) return false;
  return Math.abs(nowSeconds - Number(t)) <= 300 && headers['x-svc-timestamp'] === t;
}

/** Verifies the three headers of Standard Webhooks. */
export function verifyStandard(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  endpointSecret: string,
  nowSeconds: number,
): boolean {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string];
  const key = Buffer.from(endpointSecret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${id}.${time}.${body.toString('utf8')}`)
    .digest('base64');
  const known = signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    return (
      version === 'v1' && value.length === expected.length && timingSafeEqual(Buffer.from(value), Buffer.from(expected))
    );
  });
  return known && Math.abs(nowSeconds - Number(time)) <= 300;
}
