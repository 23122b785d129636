import { type Attacker, nothing } from '../attacker.ts';

/** Asks the readiness route, which needs no key. */
export const readiness: Attacker<undefined> = {
  name: 'readiness',
  finding: 'L, 16',
  perSecond: 20,
  addresses: 2,
  prepare: nothing,
  strike: async ({ ask }) => {
    await ask({ method: 'GET', path: '/ready' });
  },
};
