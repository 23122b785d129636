// Next route handlers, and any other server of web-standard requests: Remix, SvelteKit, Bun, Deno.
import type { SellerOptions } from '../facilitator/seller-options.ts';
import { protectionOf, type RouteTerms } from '../protect/create-protect.ts';
import { answerOfResponse, factsOfRequest, responseOf } from './web-answer.ts';

export { charge } from '../protect/charge.ts';

type RouteHandler<Asked extends Request, Rest extends readonly unknown[]> = (
  request: Asked,
  ...rest: Rest
) => Response | Promise<Response>;

export type ProtectRoute = <Asked extends Request, Rest extends readonly unknown[]>(
  terms: RouteTerms,
  handler: RouteHandler<Asked, Rest>,
) => (request: Asked, ...rest: Rest) => Promise<Response>;

/** `const protect = createProtect({ baseUrl, secretKey })`, then `export const GET = protect({ price: '$0.01' }, handler)`. */
export function createProtect(options: SellerOptions): ProtectRoute {
  const protection = protectionOf(options);
  return (terms, handler) => {
    const answer = protection(terms);
    return async (request, ...rest) => {
      const run = async () => answerOfResponse(await handler(request, ...rest));
      return responseOf(await answer({ facts: factsOfRequest(request), request, run }));
    };
  };
}
