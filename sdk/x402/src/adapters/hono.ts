// Hono, on every platform that it runs on.
import type { SellerOptions } from '../facilitator/seller-options.ts';
import { protectionOf, type RouteTerms } from '../protect/create-protect.ts';
import { answerOfResponse, bodyOf, factsOfRequest, headerRecord, responseOf } from './web-answer.ts';

export { charge } from '../protect/charge.ts';

type HonoContext = {
  readonly req: { readonly raw: Request };
  body(body: ReadableStream<Uint8Array> | null, status: number, headers: Record<string, string | string[]>): Response;
  get res(): Response;
  set res(response: Response | undefined);
};

export type HonoMiddleware = (context: HonoContext, next: () => Promise<void>) => Promise<Response | void>;

/** `const protect = createProtect({ baseUrl, secretKey })`, then `app.get('/data', protect({ price: '$0.01' }), handler)`. */
export function createProtect(options: SellerOptions): (terms: RouteTerms) => HonoMiddleware {
  const protection = protectionOf(options);
  return (terms) => {
    const answer = protection(terms);
    return async (context, next) => {
      let ran = false;
      const run = async () => {
        ran = true;
        await next();
        return answerOfResponse(context.res);
      };
      const given = await answer({ facts: factsOfRequest(context.req.raw), request: context, run });
      // With what middleware before set by `context.header`.
      if (!ran) return context.body(bodyOf(given), given.answer.status, headerRecord(given.answer.headers));
      const response = responseOf(given);
      // Otherwise Hono would carry headers of the answer that is replaced into the new one.
      context.res = undefined;
      context.res = response;
      return undefined;
    };
  };
}
