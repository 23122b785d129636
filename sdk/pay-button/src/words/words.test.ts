import { ERRORS } from '@svc-pay/protocol/errors';
import { expect, test } from 'vitest';
import { readSettings } from '../settings/settings.ts';
import { isBusy, pressOf, type Stage } from '../stage.ts';
import { chooseWords } from './choose-words.ts';
import { DE } from './de.ts';
import { EN } from './en.ts';
import { sayStage } from './say-stage.ts';
import type { Words } from './words.ts';

const STAGES: readonly Stage[] = [
  { name: 'ready' },
  { name: 'finding' },
  { name: 'preparing' },
  { name: 'choose-wallet', wallets: [] },
  { name: 'connect', wallet: 'Harbor' },
  { name: 'choose-token', tokens: [] },
  { name: 'switch-network', wallet: '' },
  { name: 'sign', wallet: 'Harbor' },
  { name: 'approve', wallet: 'Harbor' },
  { name: 'approving', wallet: '' },
  { name: 'pay', wallet: 'Harbor' },
  { name: 'confirming' },
  { name: 'sending' },
  { name: 'settling', network: null },
  { name: 'checking' },
  { name: 'paid', transactionId: null },
  { name: 'authorized', expiresAt: '2031-03-14T15:09:00Z' },
  { name: 'failed', code: 'signature_refused' },
  { name: 'failed', code: 'never heard of' },
  { name: 'unknown', isUnderWay: false },
  { name: 'unknown', isUnderWay: true },
  { name: 'unknown', isUnderWay: false, isAsked: true },
  { name: 'mismatched' },
  { name: 'elsewhere' },
  { name: 'misconfigured', part: 'usd-amount' },
];
const read = readSettings({ apiUrl: 'https://x.example', publishableKey: 'pk_test_x', usdAmount: '12.5' });
const settings = read.ok ? read.settings : undefined;

test('both tables say the same things, with the same blanks to fill', () => {
  const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();
  const flat = ({ problems, ...words }: Words): Record<string, string> => ({ ...words, ...problems });
  expect(Object.keys(flat(DE))).toEqual(Object.keys(flat(EN)));
  for (const [name, text] of Object.entries(flat(EN))) {
    expect([name, blanks(flat(DE)[name] ?? '')]).toEqual([name, blanks(text)]);
  }
});

test.each(['en', 'de-AT', 'fr', ''])('in “%s” every stage says what is going on, and no blank is left', (language) => {
  const words = chooseWords(language);
  for (const stage of STAGES) {
    for (const isSlow of [false, true]) {
      const { label, title, text } = sayStage(stage, { words, language: language || 'en', settings, isSlow });
      expect(label).not.toBe('');
      expect(`${label} ${title} ${text}`).not.toMatch(/[{}]|undefined/);
      // Whoever can neither press nor wait must be told what to do.
      if (pressOf(stage) === undefined && !isBusy(stage)) expect(text).not.toBe('');
    }
  }
});

test('a cap whose amount the page does not know is spoken of without a gap', () => {
  const intent = { apiUrl: 'https://x.example', paymentIntentId: 'pi_1', clientSecret: 'test_acct_1_x', mode: 'upto' };
  const unpriced = readSettings(intent);
  if (!unpriced.ok) throw new Error(unpriced.part);
  for (const words of [EN, DE]) {
    for (const stage of [
      { name: 'sign', wallet: '' },
      { name: 'authorized', expiresAt: null },
    ] as const) {
      const { text } = sayStage(stage, { words, language: 'en', settings: unpriced.settings, isSlow: false });
      expect(text).toContain(words.signedCap);
    }
    expect(
      sayStage({ name: 'ready' }, { words, language: 'en', settings: unpriced.settings, isSlow: false }).label,
    ).toBe(words.authorizePlain);
  }
});

test('“nothing was charged” is said of what failed, and of nothing else that was sent', () => {
  for (const words of [EN, DE]) {
    for (const stage of STAGES) {
      const { text } = sayStage(stage, { words, language: 'en', settings, isSlow: false });
      expect([stage.name, text.includes(words.nothingCharged)]).toEqual([stage.name, stage.name === 'failed']);
    }
  }
});

test('no code of the service lacks words, and those a payer can act on have their own', () => {
  const own = [
    'authorization_expired',
    'insufficient_funds',
    'intent_not_payable',
    'invalid_signature',
    'token_refused',
  ];
  for (const code of own) {
    expect(Object.hasOwn(ERRORS, code)).toBe(true);
    expect(EN.problems[code]).not.toBe(EN.problems.otherwise);
  }
  expect(EN.problems.otherwise).not.toBe('');
});

test('own words go over the language’s', () => {
  const words = chooseWords('de', { pay: 'Her mit {amount}', problems: { no_wallet: 'Keine.' } });
  expect([words.pay, words.problems['no_wallet'], words.cancel]).toEqual(['Her mit {amount}', 'Keine.', 'Abbrechen']);
});
