// Bugs to put into settlement on purpose, by its statements and its libraries. A checker that is worth its name finds each.
import { uncheckCertificates } from '@svc-pay/icp/testing';
import pg from 'pg';

const ICP_BUGS = [
  /** Takes the word of whoever answers for the ledger. */
  'certificateUnchecked',
  /** The cursor is committed before the transfers that it passed. */
  'cursorEarly',
  /** A transfer stays after it counted, and what it proved is not looked up. */
  'blockCountedTwice',
] as const;
export type IcpBug = (typeof ICP_BUGS)[number];

export const isIcpBug = (name: string | undefined): name is IcpBug => ICP_BUGS.some((bug) => bug === name);

type Query = (this: unknown, ...given: unknown[]) => unknown;

const PLANTS: Readonly<Record<IcpBug, () => void>> = {
  certificateUnchecked: uncheckCertificates,
  cursorEarly: () =>
    aroundQueries((name, ask) =>
      name === 'move-icrc-cursor'
        ? async () => {
            const moved = await ask();
            await ask('commit');
            await ask('begin');
            return moved;
          }
        : undefined,
    ),
  blockCountedTwice: () => {
    const kept = new Set<string>();
    aroundQueries((name, _, values) => {
      if (name === 'find-log-proofs') return async () => ({ rows: [], rowCount: 0 });
      const block = values.join(' ');
      if (name !== 'drop-icrc-transfer' || kept.has(block)) return undefined;
      kept.add(block);
      return async () => ({ rows: [], rowCount: 1 });
    });
  },
};

export const plantInSettlement = (bug: IcpBug): void => PLANTS[bug]();

/** The database has guards of its own. Without this the second count of a block ends with an error. */
export async function plantInDatabase(pool: pg.Pool, bug: IcpBug | undefined): Promise<void> {
  if (bug !== 'blockCountedTwice') return;
  await pool.query('alter table svc.log_proofs drop constraint log_proofs_pkey cascade');
  await pool.query('alter table svc.claims drop constraint claims_pkey cascade');
}

type Ask = (...given: readonly unknown[]) => Promise<unknown>;
type Replace = (name: string, ask: Ask, values: readonly unknown[]) => (() => Promise<unknown>) | undefined;

/** Of statements in a transaction, which a client answers by a promise; `ask` without arguments makes the statement itself. */
function aroundQueries(replaceOf: Replace): void {
  const proto = pg.Client.prototype as unknown as { query: Query };
  const { query } = proto;
  proto.query = function aroundQuery(...given) {
    const statement = given[0] as { readonly name?: string; readonly values?: readonly unknown[] };
    const ask: Ask = async (...other) => query.apply(this, other.length > 0 ? [...other] : given);
    const isPromised = given.every((part) => typeof part !== 'function');
    const replace =
      isPromised && typeof statement.name === 'string'
        ? replaceOf(statement.name, ask, statement.values ?? [])
        : undefined;
    return replace === undefined ? query.apply(this, given) : replace();
  };
}
