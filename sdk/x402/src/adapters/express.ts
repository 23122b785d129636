// Express 4 and 5, and any other framework of `(request, response, next)` on Node.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SellerOptions } from '../facilitator/seller-options.ts';
import { withHeaders } from '../protect/answer.ts';
import { protectionOf, type RouteTerms } from '../protect/create-protect.ts';
import { type CapturedResponse, captureResponse, headersOf, sendAnswer, whenSent } from './capture-response.ts';
import { factsOfMessage } from './message-facts.ts';

export { charge } from '../protect/charge.ts';

/** Express adds these two. */
type ExpressRequest = IncomingMessage & { readonly protocol?: string; readonly originalUrl?: string };

export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/** `const protect = createProtect({ baseUrl, secretKey })`, then `app.get('/data', protect({ price: '$0.01' }), handler)`. */
export function createProtect(options: SellerOptions): (terms: RouteTerms) => ExpressMiddleware {
  const protection = protectionOf(options);
  return (terms) => {
    const answerTo = protection(terms);
    return async (request, response, next) => {
      let captured: CapturedResponse | undefined;
      const run = () => {
        captured = captureResponse(response);
        next();
        return captured.answer;
      };
      const before = headersOf(response);
      try {
        const { answer, arrived } = await answerTo({ facts: factsOfMessage(request, request), request, run });
        captured?.restore();
        whenSent(response, arrived);
        // Headers of middleware that ran before stay, unless the answer has its own.
        const own = new Set(answer.headers.map(([name]) => name));
        sendAnswer(
          response,
          withHeaders(
            answer,
            before.filter(([name]) => !own.has(name)),
          ),
        );
      } catch (error) {
        captured?.restore();
        next(error);
      }
    };
  };
}
