// What a button says at a stage: the word on it, and beneath it what is going on and what to do next.
import type { Settings } from '../settings/settings.ts';
import type { Stage } from '../stage.ts';
import { printAsked } from '../tokens/print-amount.ts';
import { fill } from './choose-words.ts';
import type { Words } from './words.ts';

export type Saying = {
  /** On the button. */
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly tone: 'plain' | 'busy' | 'good' | 'bad' | 'careful';
};

export type Speaker = {
  readonly words: Words;
  readonly language: string;
  /** Undefined when the attributes can't be read. */
  readonly settings: Settings | undefined;
  /** The stage has lasted for a while. */
  readonly isSlow: boolean;
};

export function sayStage(stage: Stage, { words, language, settings, isSlow }: Speaker): Saying {
  const upto = settings?.mode === 'upto';
  const amount = settings === undefined ? '' : printAsked(settings, language);
  const wallet = 'wallet' in stage && stage.wallet !== '' ? stage.wallet : words.yourWallet;
  const values = { amount: upto && amount === '' ? words.signedCap : amount, wallet };
  const busy = (label: string, text: string, slowText: string): Saying => ({
    label: fill(label, values),
    title: '',
    text: fill(isSlow ? slowText : text, values),
    tone: 'busy',
  });
  const asking = (label: string, text: string) => busy(label, text, `${text} ${words.walletSlowText}`);
  const begin = fill(beginLabel(words, upto, amount), values);

  switch (stage.name) {
    case 'ready':
      return { label: begin, title: '', text: '', tone: 'plain' };
    case 'finding':
      return busy(words.finding, '', '');
    case 'choose-wallet':
    case 'choose-token':
      return { ...busy(begin, '', ''), tone: 'plain' };
    case 'preparing':
      return busy(words.preparing, words.preparingText, words.preparingSlowText);
    case 'connect':
      return asking(words.connect, words.connectText);
    case 'switch-network':
      return asking(words.switchNetwork, words.switchNetworkText);
    case 'sign':
      return asking(words.sign, upto ? words.signUptoText : words.signText);
    case 'approve':
      return asking(words.approve, words.approveText);
    case 'approving':
      return busy(words.approving, words.approvingText, words.approvingSlowText);
    case 'pay':
      return asking(words.sendMoney, words.sendMoneyText);
    case 'confirming':
      return busy(words.confirming, words.confirmingText, words.confirmingSlowText);
    case 'sending':
      return busy(words.sending, words.sendingText, words.sendingSlowText);
    case 'settling':
      return busy(words.settling, words.settlingText, words.settlingSlowText);
    case 'checking':
      return busy(words.checking, words.checkingText, words.checkingSlowText);
    case 'paid': {
      const label = fill(amount === '' || upto ? words.paidPlain : words.paid, values);
      const text = stage.transactionId === null ? words.paidPlainText : words.paidText;
      return { label, title: '', text: fill(text, { id: shortened(stage.transactionId ?? '') }), tone: 'good' };
    }
    case 'authorized': {
      const time = stage.expiresAt === null ? '' : printTime(stage.expiresAt, language);
      const text = time === '' ? words.authorizedText : words.authorizedUntilText;
      return { label: words.authorized, title: '', text: fill(text, { ...values, time }), tone: 'good' };
    }
    case 'failed': {
      const problem = words.problems[stage.code] ?? words.problems.otherwise;
      return { label: words.tryAgain, title: words.failed, text: `${problem} ${words.nothingCharged}`, tone: 'bad' };
    }
    case 'unknown': {
      const plain = stage.isAsked === true ? words.unknownAskedText : words.unknownText;
      const sent = upto ? words.unknownUptoText : plain;
      const text = stage.isUnderWay ? words.unknownUnderWayText : sent;
      return { label: words.checkAgain, title: words.unknown, text, tone: 'careful' };
    }
    case 'mismatched':
      return { label: begin, title: words.mismatched, text: words.mismatchedText, tone: 'careful' };
    case 'elsewhere':
      return { label: words.tryAgain, title: words.elsewhere, text: words.elsewhereText, tone: 'careful' };
    case 'misconfigured':
      break;
  }
  const text = fill(words.misconfiguredText, { part: stage.part });
  return { label: words.payPlain, title: words.misconfigured, text, tone: 'bad' };
}

function beginLabel(words: Words, upto: boolean, amount: string): string {
  if (amount === '') return upto ? words.authorizePlain : words.payPlain;
  return upto ? words.authorize : words.pay;
}

const shortened = (id: string): string => (id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id);

function printTime(iso: string, language: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return '';
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}
