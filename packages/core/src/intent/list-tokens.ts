// Tokens that an account takes in the mode of its key, and whether each can be paid now. A call costs no
// query while the facts in the caches of the process are fresh; only a contract wallet whose activation was not found on chain
// is asked for again, as by every create.
import { printUsdMicros } from '@svc-pay/money';
import { type AcceptedToken, chainTypeOf, type TokenList } from '@svc-pay/protocol';
import { ERRORS } from '@svc-pay/protocol/errors';
import { caip2NameOf } from '@svc-pay/protocol/x402';
import type { Caller } from '../account/authenticate.ts';
import type { MerchantSetup, NetworkSetup } from '../payout/merchant-setup.ts';
import { TOKENS } from '../token/catalogue.ts';
import { findChain } from '../token/chain.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { isPayoutActivated, isTakenRegularly } from './choose-offers.ts';
import { type CreateIntentPorts, offeredNetworks } from './create-intent.ts';
import { findWay, type Unavailable } from './offer.ts';
import { findRegularWay } from './offer-regular.ts';

export type ListTokensPorts = Pick<
  CreateIntentPorts,
  'clock' | 'families' | 'networks' | 'findWithdrawn' | 'loadMerchant' | 'uptoSettles'
>;

type Account = {
  readonly caller: Caller;
  readonly merchant: MerchantSetup;
  readonly networks: ReadonlyMap<string, NetworkSetup>;
};

export async function listTokens(ports: ListTokensPorts, caller: Caller): Promise<TokenList> {
  const [merchant, networks] = await Promise.all([ports.loadMerchant(caller), offeredNetworks(ports)]);
  const enabled = tokensOf(caller.mode).filter(({ shortcode }) => merchant.enabledTokens.has(shortcode));
  const data = await Promise.all(enabled.map((token) => describe(ports, { caller, merchant, networks }, token)));
  return { livemode: caller.mode === 'live', data, hasMore: false };
}

/** Every known token of a mode, whoever takes it. */
const tokensOf = (mode: Caller['mode']) => TOKENS.filter(({ network }) => findChain(network)?.mode === mode);

async function describe(ports: ListTokensPorts, account: Account, token: TokenEntry): Promise<AcceptedToken> {
  const { shortcode, symbol, unit, network, address } = token;
  const exact = await judge(ports, account, token, false);
  const regular = await takesRegularly(ports, account, token);
  const upto = ports.uptoSettles && (await judge(ports, account, token, true)).code === null;
  return {
    tokenShortcode: shortcode,
    token: symbol,
    decimals: unit.decimals,
    chain: caip2NameOf(network),
    chainName: findChain(network)?.name ?? network,
    network: chainTypeOf(network),
    ledgerCanisterId: address,
    available: exact.code === null,
    upto,
    regular,
    minimumUsd: exact.minimumUsd,
    error: exact.code,
    message: exact.code === null ? null : ERRORS[exact.code].message,
  };
}

/** Whether a regular create would offer the token, whatever its amount. */
async function takesRegularly(
  ports: ListTokensPorts,
  { caller, merchant, networks }: Account,
  token: TokenEntry,
): Promise<boolean> {
  const way = findRegularWay(token, merchant, { families: ports.families, networks, nowMs: ports.clock.nowMs() });
  return way !== undefined && (await isTakenRegularly(ports, caller, { payout: way.payout, token }));
}

/** The code with which a create would answer, whatever its amount; null where it would offer the token. */
async function judge(
  ports: ListTokensPorts,
  { caller, merchant, networks }: Account,
  token: TokenEntry,
  upto: boolean,
): Promise<{ readonly code: Unavailable | null; readonly minimumUsd: string | null }> {
  const { families, clock } = ports;
  const way = findWay(token, upto, merchant, { families, networks, nowMs: clock.nowMs() });
  if (typeof way === 'string') return { code: way, minimumUsd: null };
  const { payout, isOpen, minimumUsdMicros } = way;
  const minimumUsd = minimumUsdMicros === null || minimumUsdMicros === 0n ? null : printUsdMicros(minimumUsdMicros);
  const takes = isOpen && payout !== undefined && (await isPayoutActivated(ports, caller, { payout, token }));
  return { code: takes ? null : 'x402_temporarily_unavailable', minimumUsd };
}
