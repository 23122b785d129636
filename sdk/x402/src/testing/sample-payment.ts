// Payments as a stock client makes them of a challenge; nobody signed them.
import { PAY_TO, PAYER } from './fake-facilitator.ts';

const authorization = {
  from: PAYER,
  to: PAY_TO,
  value: '10000',
  validAfter: '1700000000',
  validBefore: '1700000300',
  nonce: `0x${'0f'.repeat(32)}`,
};
export const SIGNED = { authorization, signature: `0x${'1b'.repeat(65)}` };

export const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
export const decoded = (header: string | null) => JSON.parse(Buffer.from(header ?? '', 'base64').toString('utf8'));

/** Version 2: the first acceptance of the challenge is repeated, and what it says of extensions. */
export function paymentFor(challenge: Response, change: object = {}, id?: string): string {
  const { accepts, resource, extensions: declared } = decoded(challenge.headers.get('payment-required'));
  const extensions = id === undefined ? declared : { 'payment-identifier': { info: { required: false, id } } };
  return encoded({ x402Version: 2, payload: SIGNED, accepted: { ...accepts[0], ...change }, resource, extensions });
}
