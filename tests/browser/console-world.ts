// The console on the whole service, with nothing played but the person's finger: PostgreSQL, Restate, Anvil, API, settlement,
// webhooks, admin and console as processes of their own, the page in Chromium, passkeys of a virtual authenticator.
import { freePorts } from '@svc-pay/engine/server';
import { afterAll } from 'vitest';
import { openShop, PEPPER, SEAL_KEY, type Shop } from '../e2e/open-shop.ts';
import { svc } from '../e2e/run-svc.ts';
import { mainOf, type ServiceProcess, startService } from '../e2e/service-process.ts';
import { startWorld, type World, type WorldOptions } from '../e2e/start-world.ts';
import { acceptInvitation, type ConsoleBrowser, openConsoleBrowser } from './console-browser.ts';
import { launchChromium } from './start-browser.ts';

type Role = 'owner' | 'developer' | 'support' | 'viewer';
type Invited = { readonly role?: Role; readonly accountId?: string; readonly name?: string };

/** Somebody who is signed in, in a browser of their own. */
export type ConsolePerson = ConsoleBrowser & {
  readonly person: { readonly id: string; readonly name: string };
  readonly accountId: string;
};

type AuditRow = {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly accountId: string;
  readonly mode: 'test' | 'live';
  readonly detail: Readonly<Record<string, unknown>>;
};

export type ConsoleWorld = World & {
  /** Origin of the console. */
  readonly consoleUrl: string;
  readonly console: ServiceProcess;
  readonly admin: ServiceProcess;
  /** What any page reported: errors, and what its policy refused. */
  readonly complaints: string[];
  readonly openBrowser: () => Promise<ConsoleBrowser>;
  /** Those of everybody. */
  readonly closeBrowsers: () => Promise<void>;
  /** Runs the operator's command as a process, and returns what it prints with `--json`. */
  readonly command: (...argv: readonly string[]) => Promise<Readonly<Record<string, unknown>>>;
  /** Link of an invitation that the operator's command makes. */
  readonly invite: (invited?: Invited) => Promise<string>;
  /** Invites somebody by the command, and accepts with a passkey in a browser of their own. The check is fresh. */
  readonly signUp: (invited?: Invited) => Promise<ConsolePerson>;
  /** Lets the last passkey check of a person be ten minutes old. */
  readonly outdateCheck: (personId: string) => Promise<void>;
  /** Another merchant with keys, tokens and a payout. */
  readonly openAccount: () => Promise<Shop>;
  /** Oldest first. */
  readonly audit: () => Promise<readonly AuditRow[]>;
};

/** Call it where a file begins; everything ends with the file. */
export async function consoleWorld(options: WorldOptions = {}): Promise<ConsoleWorld> {
  const world = await startWorld(options);
  const cleanUps: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (let cleanUp = cleanUps.pop(); cleanUp !== undefined; cleanUp = cleanUps.pop()) await cleanUp();
  });
  const admin = await startService(mainOf('admin'), {
    SVC_DATABASE_URL: world.databaseUrlOf('svc_admin'),
    SVC_KEY_PEPPER: PEPPER.toString('base64'),
    SVC_SEAL_KEY: SEAL_KEY,
    SVC_ADMIN_PORT: '0',
  });
  cleanUps.push(() => admin.kill('SIGKILL'));
  // Passkeys belong to a host name that is secure: of plain http, localhost alone.
  const { admin: consolePort } = await freePorts();
  const consoleUrl = `http://localhost:${consolePort}`;
  const service = await startService(mainOf('console'), {
    SVC_DATABASE_URL: world.databaseUrlOf('svc_console'),
    SVC_CONSOLE_URL: consoleUrl,
    SVC_CONSOLE_PORT: String(consolePort),
    SVC_CONSOLE_METRICS_PORT: '0',
    SVC_API_URL: world.apiUrl,
    SVC_ADMIN_URL: `http://127.0.0.1:${admin.port}`,
  });
  cleanUps.push(() => service.kill('SIGKILL'));
  const { browser, close } = await launchChromium();
  cleanUps.push(close);

  const complaints: string[] = [];
  const { pool } = world.database;
  const environment = { ...world.operatorEnvironment, SVC_CONSOLE_URL: consoleUrl };
  const command = async (...argv: readonly string[]) => {
    const { exitCode, stdout, stderr } = await svc(environment, ...argv, '--json');
    if (exitCode !== 0) throw new Error(`svc ${argv.join(' ')}: ${stdout} ${stderr}`);
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  };
  const openBrowser = () => openConsoleBrowser(browser, complaints);
  const invite = async ({ role = 'owner', accountId = world.shop.accountId, name = 'Grace Hopper' }: Invited = {}) => {
    const made = await command('people', 'invite', accountId, '--role', role, '--name', name);
    return (made as { link: string }).link;
  };
  return {
    ...world,
    consoleUrl,
    console: service,
    admin,
    complaints,
    openBrowser,
    closeBrowsers: async () => {
      for (const context of browser.contexts()) await context.close();
    },
    command,
    invite,
    signUp: async (invited = {}) => {
      const [opened, link] = await Promise.all([openBrowser(), invite(invited)]);
      await acceptInvitation(opened.page, link);
      const { person } = await whoIs(opened.page);
      return { ...opened, person, accountId: invited.accountId ?? world.shop.accountId };
    },
    outdateCheck: async (personId) => {
      await pool.query(
        "update svc.console_sessions set verified_at = verified_at - interval '10 minutes' where person_id = $1",
        [personId],
      );
    },
    openAccount: () => openShop(pool, world.chain),
    audit: async () =>
      (
        await pool.query<AuditRow>(
          'select actor, action, target, account_id as "accountId", mode, detail from svc.audit order by created_at, id',
        )
      ).rows,
  };
}

type Me = {
  readonly person: { readonly id: string; readonly name: string };
  readonly session: { readonly id: string };
};

/** Who the page is signed in as, by its cookie. */
export const whoIs = (page: ConsoleBrowser['page']): Promise<Me> =>
  page.evaluate(async () => (await fetch('/console/api/me')).json() as Promise<Me>);
