// When a request takes a place in the queue of its process: while it is admitted and while it is worked on, and not while its
// body arrives or its answer is sent. A slow client takes nobody's place.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { Leave, RequestQueue } from '../limit/request-queue.ts';

declare module 'fastify' {
  interface FastifyRequest {
    leaveQueue: Leave | undefined;
    /** The process has more to do than it can answer in time: only what was claimed before is looked at. */
    isSpared: boolean;
    /** Its route works on it. A request that is refused before that says nothing of the pace, whatever its status is. */
    isWorkedOn: boolean;
  }
}

/** False if the request could not be answered in time. One that may ask about a claimed payment is taken, to look for that alone. */
export function enterQueue(request: FastifyRequest, queue: RequestQueue, spares: boolean): boolean {
  const isFull = queue.isFull();
  if (isFull && !spares) return false;
  request.isSpared = isFull;
  request.leaveQueue = queue.enter();
  return true;
}

export function leaveQueue(request: FastifyRequest, isAnswered: boolean): void {
  request.leaveQueue?.(isAnswered);
  request.leaveQueue = undefined;
}

export const QUEUE_HOOKS = (queue: RequestQueue) =>
  ({
    preParsing: (request, _reply, payload, done) => {
      leaveQueue(request, false);
      done(null, payload);
    },
    preValidation: (request, _reply, done) => {
      request.leaveQueue ??= queue.enter();
      done();
    },
  }) satisfies Pick<RouteOptions, 'preParsing' | 'preValidation'>;

export function queueRequests(app: FastifyInstance): void {
  app.decorateRequest('leaveQueue');
  app.decorateRequest('isSpared', false);
  app.decorateRequest('isWorkedOn', false);
  app.addHook('onSend', (request, _reply, _payload, done) => {
    leaveQueue(request, request.isWorkedOn);
    done();
  });
}
