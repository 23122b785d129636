// Fastify. The hook runs after the body was parsed and validated, so that a request that Fastify refuses is never charged.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SellerOptions } from '../facilitator/seller-options.ts';
import type { HeaderList } from '../protect/answer.ts';
import { protectionOf, type RouteTerms } from '../protect/create-protect.ts';
import { type CapturedResponse, captureResponse, sendAnswer, whenSent } from './capture-response.ts';
import { factsOfMessage } from './message-facts.ts';

export { charge } from '../protect/charge.ts';

type FastifyRequest = {
  readonly raw: IncomingMessage;
  readonly protocol: string;
  readonly originalUrl: string;
};
type FastifyReply = {
  readonly raw: ServerResponse;
  code(status: number): FastifyReply;
  header(name: string, value: string): FastifyReply;
  send(body: Uint8Array): unknown;
};

/** The options of a Fastify route. */
export type FastifyProtection = {
  readonly preHandler: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;
};

/** `const protect = createProtect({ baseUrl, secretKey })`, then `app.get('/data', protect({ price: '$0.01' }), handler)`. */
export function createProtect(options: SellerOptions): (terms: RouteTerms) => FastifyProtection {
  const protection = protectionOf(options);
  return (terms) => {
    const answerTo = protection(terms);
    const handle = async (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      let captured: CapturedResponse | undefined;
      const run = () => {
        captured = captureResponse(reply.raw);
        done();
        return captured.answer;
      };
      try {
        const { answer, arrived } = await answerTo({ facts: factsOfMessage(request.raw, request), request, run });
        whenSent(reply.raw, arrived);
        if (captured === undefined) {
          withHeadersSet(reply.code(answer.status), answer.headers).send(Buffer.from(answer.body));
          return;
        }
        captured.restore();
        sendAnswer(reply.raw, answer);
      } catch (error) {
        captured?.restore();
        done(error instanceof Error ? error : new Error('protect failed', { cause: error }));
      }
    };
    return { preHandler: (request, reply, done) => void handle(request, reply, done) };
  };
}

/** Fastify appends values of `set-cookie` and replaces all others. */
function withHeadersSet(reply: FastifyReply, headers: HeaderList): FastifyReply {
  for (const [name, value] of headers) reply.header(name, value);
  return reply;
}
