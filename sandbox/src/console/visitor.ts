// The console of the sandbox, with a visitor who is signed in. A person proves who they are with a passkey; the visitor of a
// sandbox has none, and is let in by the sandbox's own login to its database, which no service has. The console itself is the one
// that operators run, and knows nothing of this.
import { randomBytes } from 'node:crypto';
import { type Clock, newSessionToken, type SessionToken, sessionTokenHash } from '@svc-pay/core';
import { openDatabase } from '@svc-pay/postgres';
import { beginSandboxSession, renewSandboxChecks, seedSandboxPerson } from '@svc-pay/postgres/sandbox';
import type { Component } from '../local/component-group.ts';
import type { LocalWorld, PeopleServices } from '../local/start-world.ts';
import type { Step } from '../local/steps.ts';
import { buildConsolePage } from './build-console-page.ts';

export type OpenConsole = Component & {
  readonly url: string;
  /** Begins a session, whose token the visitor's browser gets. */
  readonly begin: (userAgent: string) => Promise<SessionToken>;
};

export type ConsoleOptions = {
  readonly world: LocalWorld;
  readonly services: PeopleServices;
  readonly clock: Clock;
  readonly step: Step;
  readonly complain: (text: string) => void;
};

const NAME = 'Sandbox visitor';
/** Well within the five minutes that a check counts. */
const RENEW_EVERY_MS = 2 * 60_000;

export async function openConsole({ world, services, clock, step, complain }: ConsoleOptions): Promise<OpenConsole> {
  await step('console’s page', buildConsolePage);
  const url = await world.startConsole(services);
  const database = openDatabase(world.databaseUrl, {
    applicationName: 'svc-sandbox-console',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    onConnectionLost: () => {},
  });
  const { pool } = database;
  const operation = () => ({ pool, nowMs: clock.nowMs(), actor: 'operator:dev' });
  const renew = async () => {
    const personId = await seedSandboxPerson(operation(), world.account.id, NAME);
    await renewSandboxChecks(pool, personId, clock.nowMs());
  };
  const timer = setInterval(() => {
    renew().catch((problem: unknown) => complain(`the visitor’s passkey check was not renewed: ${String(problem)}`));
  }, RENEW_EVERY_MS);
  return {
    url,
    begin: async (userAgent) => {
      const token = newSessionToken(randomBytes);
      const personId = await seedSandboxPerson(operation(), world.account.id, NAME);
      const tokenHash = sessionTokenHash(token);
      await beginSandboxSession(operation(), { personId, tokenHash, userAgent, address: '127.0.0.1' });
      return token;
    },
    stop: async () => {
      clearInterval(timer);
      await database.close();
    },
  };
}
