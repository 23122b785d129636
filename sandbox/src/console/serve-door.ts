// The way from the pages of the sandbox into its console. Pages are at 127.0.0.1 and the console is at localhost, where a cookie
// of the one is none of the other: a link that works once, within seconds, leads from here to there. Cookies know no ports, so
// the cookie that this sets is the console's.
import { randomBytes } from 'node:crypto';
import type { Clock } from '@svc-pay/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OpenConsole } from './visitor.ts';

export type DoorOptions = {
  readonly port: number;
  readonly accountId: string;
  /** Rejects if the console did not start. */
  readonly console: Promise<OpenConsole>;
  readonly clock: Clock;
};

const TICKET_LIFE_MS = 30_000;
const MAX_TICKETS = 100;
const INTENT_ID = /^pi_\w{1,64}$/;

type Ticket = { readonly path: string; readonly untilMs: number };
type Asked = { Querystring: { payment?: string } };
type Shown = { Params: { ticket: string } };

export function addDoor(app: FastifyInstance, { port, accountId, console, clock }: DoorOptions): void {
  const tickets = new Map<string, Ticket>();

  app.get<Asked>('/console', async (request, reply) => {
    // A page of another site can lead a browser here, and is not let in.
    if (request.headers.host !== `127.0.0.1:${port}` || !isOurs(request))
      return reply.code(403).send({ error: 'open the console from a page of the sandbox' });
    const { payment } = request.query;
    const page = payment !== undefined && INTENT_ID.test(payment) ? `payments/${payment}` : 'overview';
    const path = `/test/${accountId}/${page}`;
    const ticket = randomBytes(32).toString('base64url');
    if (tickets.size >= MAX_TICKETS) tickets.clear();
    tickets.set(ticket, { path, untilMs: clock.nowMs() + TICKET_LIFE_MS });
    return reply.header('cache-control', 'no-store').redirect(`http://localhost:${port}/console/${ticket}`, 303);
  });

  app.get<Shown>('/console/:ticket', async ({ params, headers }, reply) => {
    const ticket = tickets.get(params.ticket);
    tickets.delete(params.ticket);
    if (ticket === undefined || ticket.untilMs <= clock.nowMs() || headers.host !== `localhost:${port}`)
      return reply.code(404).send({ error: 'this link was used; open the console from a page of the sandbox' });
    const { url, begin } = await console;
    const token = await begin(headers['user-agent'] ?? '');
    return reply
      .headers({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'set-cookie': `svc_console=${token}; Path=/; HttpOnly; SameSite=Strict`,
      })
      .redirect(`${url}${ticket.path}`, 303);
  });
}

/** A browser tells where a visitor comes from; `none` is an address that was typed. */
const isOurs = ({ headers }: FastifyRequest): boolean =>
  ['same-origin', 'same-site', 'none', undefined].includes(headers['sec-fetch-site']);
