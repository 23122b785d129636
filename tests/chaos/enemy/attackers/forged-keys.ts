import { randomBytes } from 'node:crypto';
import { newKey } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import { BOX } from '../../../e2e/open-shop.ts';
import { nowMs } from '../../harness/clock.ts';
import { type Attacker, itemAt } from '../attacker.ts';
import { CREATE, TOKEN } from '../hostile-payment.ts';

const KEYS = 1_000;

/** Keys with a good checksum that nobody was given, publishable and secret in turn. */
export const forgedKeys: Attacker<readonly string[]> = {
  name: 'forged keys',
  finding: 'G, 6',
  perSecond: 40,
  addresses: 5,
  prepare: async () => {
    const owner = { accountId: newId('account', nowMs()), mode: 'test' } as const;
    const kinds = ['publishable', 'secret'] as const;
    return Array.from({ length: KEYS }, (_, index) => {
      const kind = itemAt(kinds, index);
      return newKey({ pepper: randomBytes(32), box: BOX }, owner, kind, nowMs()).text;
    });
  },
  strike: async ({ ground, index, ask }, keys) => {
    const body = { usdAmount: ground.priceUsd, tokenShortcode: TOKEN };
    await ask({ path: CREATE, key: itemAt(keys, index), body });
  },
};
