// What the console relays, beside what the API and the admin service serve. An operation is relayed with a rule, or is here with the
// reason why people never call it.
import { isKeyed, ROUTES } from '@svc-pay/api/testing';
import { ADMIN_ROUTES } from '@svc-pay/runtime/http/admin-routes';
import { PERSON_ACTIONS } from '@svc-pay/runtime/http/person-actions';
import { expect, test } from 'vitest';
import { API_OPERATIONS, type RelayedOperation } from './api-operations.ts';

const PAYERS = 'The payer’s page or wallet does this, with a publishable key or the secret of the intent.';
const FACILITATOR =
  'For a merchant’s server that offers its own resources by x402; no page has a payment to show here.';
const NEVER_RELAYED: Readonly<Record<string, string>> = {
  settlePayment: PAYERS,
  preparePayment: PAYERS,
  signablePayment: PAYERS,
  relayPayment: PAYERS,
  confirmUpto: PAYERS,
  notifyPayment: PAYERS,
  getIntentOffer: PAYERS,
  getRegularOffer: PAYERS,
  streamIntent:
    'A stream would hold a connection of the console for each open page; the timeline is asked again instead.',
  x402Verify: FACILITATOR,
  x402Settle: FACILITATOR,
  x402Supported: FACILITATOR,
};
const OPERATORS_ONLY: Readonly<Record<string, string>> = {
  createAccount: 'Whoever may make accounts could make as many merchants as he likes.',
  listAccounts: 'It names every merchant of the installation.',
  closeAccount: 'For good, and up-to payments that are confirmed are never charged.',
  setLimits: 'Limits protect the installation from the merchant.',
};

const keyed = ROUTES.filter(isKeyed);

test('every operation of the API that takes a key is relayed with a rule, or is not for a written reason', () => {
  expect(keyed.length).toBeGreaterThan(40);
  const served = keyed.map(({ operationId }) => operationId).sort();
  expect([...Object.keys(API_OPERATIONS), ...Object.keys(NEVER_RELAYED)].sort()).toEqual(served);
});

test.each(Object.entries<RelayedOperation>(API_OPERATIONS))('%s is relayed as the API serves it', (name, relayed) => {
  const { method, path } = keyed.find(({ operationId }) => operationId === name) ?? {};
  expect({ method: relayed.method, path: relayed.path }).toEqual({ method, path });
  expect(relayed.roles).not.toEqual([]);
});

test('every route of the admin service has a rule for people, or is for operators alone for a written reason', () => {
  expect([...Object.keys(PERSON_ACTIONS), ...Object.keys(OPERATORS_ONLY)].sort()).toEqual(
    Object.keys(ADMIN_ROUTES).sort(),
  );
});
