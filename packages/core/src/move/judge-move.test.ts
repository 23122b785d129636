import { expect, test } from 'vitest';
import { type AccountMoveFacts, judgeMove } from './judge-move.ts';

const facts: AccountMoveFacts = { status: 'active', inTarget: false, arrived: false, openCaps: 0 };

test.each<[string, Partial<AccountMoveFacts>, string]>([
  ['an active account begins', {}, 'begin'],
  ['an account that has begun is copied', { status: 'moving' }, 'copy'],
  ['an account that left and did not arrive is completed', { status: 'moved' }, 'complete'],
  ['an account that left and arrived is finished', { status: 'moved', inTarget: true }, 'finish'],
  ['a finished move has nothing left', { status: 'moved', inTarget: true, arrived: true }, 'moved_before'],
])('%s', (_, given, step) => {
  expect(judgeMove({ ...facts, ...given })).toEqual({ ok: true, step });
});

test.each<[string, Partial<AccountMoveFacts>, string]>([
  ['an account that does not exist', { status: undefined }, 'account_unknown'],
  ['a closed account', { status: 'closed' }, 'account_closed'],
  ['an account that the other cell has', { inTarget: true }, 'account_in_target'],
  [
    'an account that the other cell has although the move did not get there',
    { status: 'moving', inTarget: true },
    'account_in_target',
  ],
  ['an account with a confirmed up-to payment', { openCaps: 1 }, 'account_has_open_caps'],
])('%s is refused', (_, given, code) => {
  expect(judgeMove({ ...facts, ...given })).toEqual({ ok: false, code });
});
