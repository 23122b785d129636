// Facts for the doctor about the role that a service logs in as, read over that role's own connection.
import type pg from 'pg';
import { readRoleRights, releasedRoleRights } from './role-rights.ts';

export type RoleFacts = {
  readonly name: string;
  /** Such as `superuser` or `createrole`: none is needed by any service. */
  readonly attributes: readonly string[];
  /** Roles that it is a member of, directly or through others. */
  readonly memberOf: readonly string[];
  /** Number of objects that it owns, or has rights on beside those of its groups. */
  readonly ownRights: number;
  /** Rights of its groups that this release does not grant, and rights that it grants and they lack. */
  readonly beyond: readonly string[];
  readonly lacking: readonly string[];
};

type Row = {
  readonly name: string;
  readonly attributes: readonly string[];
  readonly member_of: readonly string[];
  readonly own_rights: number;
};

/** `connect` is left out: roles.sql grants it. */
const ROLE = `
  with recursive groups (oid) as (
    select roleid from pg_auth_members where member = to_regrole(quote_ident(current_user))
    union
    select roleid from pg_auth_members join groups on member = groups.oid
  )
  select rolname as name,
    array_remove(array[
      case when rolsuper then 'superuser' end, case when rolcreaterole then 'createrole' end,
      case when rolcreatedb then 'createdb' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end], null) as attributes,
    array(select pg_get_userbyid(oid)::text from groups order by 1) as member_of,
    (select count(*)::integer from pg_shdepend
      where refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid and classid <> 'pg_database'::regclass
        and deptype in ('o', 'a')) as own_rights
  from pg_roles where rolname = current_user`;

/** Throws where the schema does not exist: it is made by roles.sql, before the first migration. */
export async function inspectRole(pool: pg.Pool): Promise<RoleFacts> {
  const { rows } = await pool.query<Row>(ROLE);
  const [role] = rows;
  if (role === undefined) throw new Error('the own role is not in pg_roles');
  const isOfGroup = (line: string) => role.member_of.includes(line.split(' ', 1)[0] ?? '');
  const granted = (await readRoleRights(pool)).filter(isOfGroup);
  const released = (await releasedRoleRights()).filter(isOfGroup);
  return {
    name: role.name,
    attributes: role.attributes,
    memberOf: role.member_of,
    ownRights: role.own_rights,
    beyond: granted.filter((line) => !released.includes(line)),
    lacking: released.filter((line) => !granted.includes(line)),
  };
}
