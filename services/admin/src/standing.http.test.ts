// A person loses the session or the role after the admin service has judged the call, and before the action's transaction.
import { whileUncommitted } from '@svc-pay/postgres/testing';
import { ADMIN_ROUTES, type AdminRouteName } from '@svc-pay/runtime/http/admin-routes';
import { PERSON_ACTIONS } from '@svc-pay/runtime/http/person-actions';
import { expect, test } from 'vitest';
import { createPeopleHarness, type Person, type Shop } from './testing/people-harness.ts';

const { pool, newShop, signIn, callRoute, makeKey, auditOf } = await createPeopleHarness();

const changing = (Object.keys(PERSON_ACTIONS) as AdminRouteName[]).filter(
  (name) => ADMIN_ROUTES[name].method === 'POST',
);
type Loss = (of: Person) => readonly [statement: string, ...values: unknown[]];
const LOSSES: readonly [what: string, status: number, error: string, loss: Loss][] = [
  [
    'is removed',
    404,
    'account_unknown',
    ({ personId }) => ['delete from svc.memberships where person_id = $1', personId],
  ],
  [
    'becomes a viewer',
    403,
    'role_missing',
    ({ personId }) => ["update svc.memberships set role = 'viewer' where person_id = $1", personId],
  ],
  [
    'is signed out',
    401,
    'session_over',
    ({ sessionId }) => [
      "update svc.console_sessions set ended_at = now(), end_reason = 'ended' where id = $1",
      sessionId,
    ],
  ],
  [
    'is disabled',
    401,
    'session_over',
    ({ personId }) => ['update svc.persons set disabled_at = now() where id = $1', personId],
  ],
];

/** Keys, settings and payouts of an account, without what the loss itself revokes. */
async function stateOf({ accountId }: Shop): Promise<unknown> {
  const { rows } = await pool.query(
    `select (select json_agg(key order by id) from svc.api_keys key where account_id = $1 and session_id is null) as keys,
       (select json_agg(mode order by mode) from svc.account_modes mode where account_id = $1) as settings,
       (select json_agg(payout) from svc.payouts payout where account_id = $1) as payouts`,
    [accountId],
  );
  return rows;
}

test('there are actions of people to try', () => expect(changing.length).toBeGreaterThan(5));

for (const [what, status, error, loss] of LOSSES) {
  test.each(changing)(`%s does nothing for an owner who ${what} meanwhile`, async (name) => {
    const shop = await newShop();
    const owner = await signIn({ [shop.accountId]: 'owner' });
    const before = await stateOf(shop);
    const answer = await whileUncommitted(pool, loss(owner), () => callRoute(name, shop, owner.bearer));
    expect(answer).toMatchObject({ status, body: { error } });
    expect(await stateOf(shop)).toEqual(before);
    expect(await auditOf(owner.personId)).toEqual([]);
  });

  test.each(['base', 'fresh'] as const)(
    `no key of level %s is made for an owner who ${what} meanwhile`,
    async (level) => {
      const shop = await newShop();
      const owner = await signIn({ [shop.accountId]: 'owner' });
      const answer = await whileUncommitted(pool, loss(owner), () => makeKey(owner.bearer, shop, level));
      expect(answer.status).toBe(401);
      const { rowCount } = await pool.query('select from svc.api_keys where session_id = $1', [owner.sessionId]);
      expect(rowCount).toBe(0);
    },
  );
}
