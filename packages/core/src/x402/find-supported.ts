// What an account can be paid by through the facilitator routes: schemes and networks, and in `extra` its tokens with the
// address that each is paid to. Stock packages take `extra.feePayer` on Solana and leave the rest alone.
import { caip2NameOf, v1NameOf, type X402Kind, type X402Supported } from '@svc-pay/protocol/x402';
import type { Caller } from '../account/authenticate.ts';
import { offeredNetworks } from '../intent/create-intent.ts';
import { takesHeaders } from '../intent/offer.ts';
import { familyFor } from '../intent/offer-family.ts';
import type { MerchantSetup, NetworkSetup } from '../payout/merchant-setup.ts';
import { takesTransactions } from '../settlement/payment-family.ts';
import { TOKENS } from '../token/catalogue.ts';
import { findChain } from '../token/chain.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import type { FacilitatorPorts } from './facilitator-ports.ts';
import { chooseFor } from './offer-for-seller.ts';

type SoldIn = { readonly token: TokenEntry; readonly payTo: string };

export type SupportedPorts = Pick<
  FacilitatorPorts,
  'clock' | 'families' | 'networks' | 'findWithdrawn' | 'loadMerchant'
>;

export async function findSupported(ports: SupportedPorts, caller: Caller): Promise<X402Supported> {
  const [merchant, networks] = await Promise.all([ports.loadMerchant(caller), offeredNetworks(ports)]);
  const enabled = TOKENS.filter(({ network }) => findChain(network)?.mode === caller.mode).filter(
    ({ shortcode, signing }) => merchant.enabledTokens.has(shortcode) && signing === 'TransferWithAuthorization',
  );
  const found = await Promise.all(
    enabled.map((token) => soldIn(ports, caller, merchant, token, networks.get(token.network))),
  );
  const sold = found.flatMap((one) => one ?? []);
  const names = [...new Set(sold.map(({ token }) => token.network))];
  const kinds = await Promise.all(
    names.map((network) =>
      kindsOf(
        ports,
        caller,
        network,
        sold.filter(({ token }) => token.network === network),
      ),
    ),
  );
  return { kinds: kinds.flat(), extensions: [], signers: {} };
}

async function soldIn(
  ports: SupportedPorts,
  caller: Caller,
  merchant: MerchantSetup,
  token: TokenEntry,
  setup: NetworkSetup | undefined,
): Promise<SoldIn | undefined> {
  if (setup === undefined || !takesHeaders(setup, true)) return undefined;
  // No address is the empty text, so the choice says which one is right.
  const choice = await chooseFor(ports, caller, merchant, token, setup, '', ports.clock.nowMs());
  return choice.ok || choice.expected === undefined ? undefined : { token, payTo: choice.expected };
}

async function kindsOf(
  { families }: SupportedPorts,
  caller: Caller,
  network: TokenEntry['network'],
  sold: readonly SoldIn[],
): Promise<readonly X402Kind[]> {
  const family = familyFor(families, network);
  const feePayer =
    family && takesTransactions(family) ? await family.transactions.feePayer(caller, network) : undefined;
  if (family === undefined || (takesTransactions(family) && feePayer === undefined)) return [];
  // Prices of sellers are in dollars, so only tokens of one dollar are listed.
  const dollars = sold.filter(({ token }) => token.price === 'fixed');
  const tokens = dollars.map(({ token, payTo }) => ({
    asset: token.address,
    payTo,
    decimals: token.unit.decimals,
    ...token.domain,
  }));
  const extra = { ...(feePayer !== undefined && { feePayer }), tokens };
  const v1Name = v1NameOf(network);
  return [
    { x402Version: 2, scheme: 'exact', network: caip2NameOf(network), extra },
    ...(v1Name === undefined ? [] : [{ x402Version: 1 as const, scheme: 'exact', network: v1Name, extra }]),
  ];
}
