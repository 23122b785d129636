// The secret of one intent, for whoever pays it. It pays that one intent while it is open and reads its outcome for 30 days,
// and does nothing else: it stands in the payable address, or takes the place of an API key on the routes of payers. It is
// derived from the pepper of the API keys, so it is stored nowhere, and a repeated create answers the same one while the pepper
// does not change. A secret that was derived from an older pepper is taken as long as that pepper is given.
import { timingSafeEqual } from 'node:crypto';
import { type Id, isId, timeOfId } from '@svc-pay/protocol/ids';
import { keyIndex } from '../account/key-index.ts';
import type { Mode } from '../account/mode.ts';
import type { Peppers } from '../account/peppers.ts';

export type PayableOwner = { readonly accountId: Id<'account'>; readonly mode: Mode };

const SECRET_BYTES = 16;
const READABLE_MS = 30 * 86_400_000;
const FORM = /^(test|live)_(acct_[0-9a-z]{26})_([0-9A-Za-z_-]{22})$/;

/** Says whose intent it is, so that a wrong secret is refused without a look into the database. */
export function clientSecretOf(pepper: Uint8Array, owner: PayableOwner, intentId: Id<'paymentIntent'>): string {
  const code = Buffer.from(codeOf(pepper, owner, intentId)).toString('base64url');
  return `${owner.mode}_${owner.accountId}_${code}`;
}

/** Whether a text has the form of a client secret. Nobody has checked it then. */
export const looksLikeClientSecret = (text: string): boolean => FORM.test(text);

/** The owner of the intent; undefined for a secret that is not this intent's, or an intent that is too old. */
export function readClientSecret(
  peppers: Peppers,
  intentId: Id<'paymentIntent'>,
  secret: string,
  nowMs: number,
): PayableOwner | undefined {
  const [, mode, accountId, code = ''] = FORM.exec(secret) ?? [];
  if ((mode !== 'test' && mode !== 'live') || !isId('account', accountId)) return undefined;
  const owner = { accountId, mode } as const;
  const given = Buffer.from(code, 'base64url');
  const isSame =
    given.length === SECRET_BYTES && peppers.some((pepper) => timingSafeEqual(given, codeOf(pepper, owner, intentId)));
  return isSame && timeOfId(intentId) + READABLE_MS > nowMs ? owner : undefined;
}

/** No API key begins with the label, so no code is the index of a key. */
function codeOf(pepper: Uint8Array, { mode, accountId }: PayableOwner, intentId: Id<'paymentIntent'>): Uint8Array {
  return keyIndex(pepper, `client_secret\n${mode}\n${accountId}\n${intentId}`).subarray(0, SECRET_BYTES);
}
