// Refusals that are said otherwise here: the admin routes answer with a code alone, and the API speaks to whoever holds a key.
const SENTENCES: Readonly<Record<string, string>> = {
  not_found: 'The account has nothing of this id in this mode. Test and live mode have separate data.',
  account_unknown: 'The account does not exist, or is closed.',
  payout_unknown: 'There is no such payout any more.',
  payout_of_processor: 'The payout is in the registry of the payment processor. A transaction there ends it.',
  role_missing: 'Your role in this account does not allow it.',
  key_unknown: 'There is no such key any more.',
  key_signs:
    'Webhooks are signed with this key. Roll it instead, or revoke it now knowing that deliveries wait for another key.',
  no_signing_key: 'No key signs webhooks at the moment. Create a secret key first.',
  roll_in_progress: 'The signing key is already being replaced. Wait until the old one ends, or revoke it.',
};

export const refusalSentence = (code: string): string | undefined =>
  Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
