// Kills connections of a command at a statement: a trigger does it, so nothing of the command is replaced.
import type { MoveWorld } from './move-world.ts';

export type Kill = { readonly event: string; readonly when?: string; readonly kills: 'source' | 'target' };

/** Of a move: the account has left, and does not arrive. */
export const BETWEEN_COMMITS: Kill = {
  event: 'after update on svc.accounts',
  when: "new.status = 'moved'",
  kills: 'target',
};

/** Kills once: in the cell `at`, when the statement fires, the connections to the database of `kills`. */
export async function killOnce(world: MoveWorld, at: 'source' | 'target', { event, when, kills }: Kill): Promise<void> {
  const database = new URL(world[kills].url).pathname.slice(1);
  const own = at === kills;
  const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and application_name = 'svc-operator'`;
  await world[at].pool.query(`
    create sequence public.kills;
    create function public.kill() returns trigger language plpgsql as $body$
    begin
      if nextval('public.kills') = 1 then
        perform ${own ? 'pg_terminate_backend(pg_backend_pid())' : `count(*) from (${others}) killed`};
      end if;
      return new;
    end $body$;
    create trigger kill ${event} for each row ${when === undefined ? '' : `when (${when})`} execute function public.kill()`);
}
