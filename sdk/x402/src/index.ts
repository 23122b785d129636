// Sell an HTTP API for x402 payments. How each framework is protected is in its own entry: `/express`, `/fastify`, `/hono`,
// `/next`; each has `createProtect` and `charge`. Here is the facilitator client, for stock x402 middleware.
export {
  createFacilitator,
  type Facilitator,
  type FacilitatorSettled,
  type FacilitatorSupported,
  type FacilitatorVerified,
  type StockPayload,
  type StockRequirements,
} from './facilitator/facilitator.ts';
export type { SellerOptions, SellerProblem } from './facilitator/seller-options.ts';
export type { SoldToken } from './facilitator/sold-token.ts';
export { charge } from './protect/charge.ts';
export type { RouteTerms } from './protect/create-protect.ts';
