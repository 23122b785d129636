// Serves the timeline page: lanes with their batches, and the steps of each payment. Reads live data every time and
// stores nothing.

import type { View } from '@svc-pay/postgres/view';
import { createSvcPay } from '@svc-pay/server';
import { addDoor, type DoorOptions } from '../console/serve-door.ts';
import type { LocalWorld } from '../local/start-world.ts';
import type { PageFiles } from '../serve/bundle-pages.ts';
import { streamStates } from '../serve/event-stream.ts';
import { type PageServer, servePages } from '../serve/serve-pages.ts';
import type { ShopFacts } from '../shop/shop-facts.ts';
import { followIntentStream } from './follow-intent-stream.ts';
import { payAsCrowd } from './pay-as-crowd.ts';
import { overviewPauseMs, readOverview } from './read-overview.ts';
import { readTrail } from './read-trail.ts';
import { timelinePage } from './timeline-page.ts';
import type { Trail } from './trail.ts';
import { trailOf } from './trail-steps.ts';

export type TimelineOptions = {
  readonly port: number;
  readonly files: PageFiles;
  readonly view: View;
  readonly world: LocalWorld;
  readonly facts: Omit<ShopFacts, 'order'>;
  readonly shopUrl: string;
  readonly door: DoorOptions;
};

const OPEN_PAUSE_MS = 700;
const REST_PAUSE_MS = 5_000;
const CROWD = 24;

type OfIntent = { Params: { id: string } };

export async function serveTimeline(options: TimelineOptions): Promise<PageServer> {
  const { port, files, view, world, facts, shopUrl, door } = options;
  const { account, baseUrl } = world;
  const svc = createSvcPay({ baseUrl, secretKey: account.secretKey, accountId: account.id });
  const page = timelinePage(shopUrl);
  const overview = () => readOverview(view, account.id);
  const trail = async (intentId: string): Promise<Trail | null> => {
    const parts = await readTrail(svc, view, account.id, intentId);
    return parts === undefined ? null : trailOf(intentId, parts);
  };

  const server = await servePages(port, files, async (app) => {
    addDoor(app, door);
    app.get('/', async (_request, reply) => reply.type('text/html').send(page));
    app.get('/payments/:id', async (_request, reply) => reply.type('text/html').send(page));
    app.get('/stream', (request, reply) =>
      streamStates(request, reply, { read: overview, pauseMs: (seen) => overviewPauseMs(seen) }),
    );
    app.get<OfIntent>('/payments/:id/trail', async ({ params: { id } }, reply) => {
      const found = await trail(id);
      return found ?? reply.code(404).send({ error: 'no such payment' });
    });
    app.get<OfIntent>('/payments/:id/stream', async (request, reply) => {
      const intentId = request.params.id;
      const { publishableKey } = account;
      await streamStates(request, reply, {
        read: () => trail(intentId),
        pauseMs: (seen) => (seen === null || seen.atRest ? REST_PAUSE_MS : OPEN_PAUSE_MS),
        listen: (wake, signal) => void followIntentStream({ baseUrl, publishableKey, intentId }, wake, signal),
      });
    });
    app.post('/crowd', async (_request, reply) => {
      const paid = await payAsCrowd(world.chain, facts, CROWD);
      return reply.send({ payers: CROWD, paid });
    });
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await view.close();
    },
  };
}
