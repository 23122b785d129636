// The network of a rehearsal: a test network of the catalogue, by name or CAIP-2. Live networks are refused, whatever else is
// said.
import { CHAINS, type Chain, TOKENS, type TokenEntry } from '@svc-pay/core';
import { chainIdOf, familyOf } from '@svc-pay/protocol';
import { parseAnyNetwork } from '@svc-pay/protocol/x402';

export type TestNetwork = {
  readonly chain: Chain;
  readonly chainId: number;
  readonly token: TokenEntry;
};

export type FoundNetwork =
  | { readonly ok: true; readonly network: TestNetwork }
  | { readonly ok: false; readonly problem: string; readonly advice?: string };

const nameOf = ({ name }: Chain): string => name.toLowerCase().replaceAll(' ', '-');
const isOffered = ({ mode, network }: Chain): boolean => mode === 'test' && familyOf(network) === 'evm';

export function findTestNetwork(given: string, shortcode: string | undefined): FoundNetwork {
  const chain = CHAINS.find((one) => nameOf(one) === given) ?? CHAINS.find(({ network }) => network === parsed(given));
  const offered = `There are: ${CHAINS.filter(isOffered).map(nameOf).join(', ')}.`;
  if (chain === undefined) return { ok: false, problem: `--network: no such network: ${given}`, advice: offered };
  if (chain.mode === 'live')
    return {
      ok: false,
      problem: `${chain.name} is a live network: a rehearsal makes payments on test networks only.`,
      advice: offered,
    };
  const chainId = chainIdOf(chain.network);
  if (chainId === undefined)
    return { ok: false, problem: `${chain.name} is no EVM network: rehearsals are made on those.`, advice: offered };
  const ofChain = TOKENS.filter(({ network, signing }) => network === chain.network && isSigned(signing));
  const token = ofChain.find((one) => (shortcode === undefined ? one.symbol === 'USDC' : one.shortcode === shortcode));
  if (token === undefined)
    return {
      ok: false,
      problem: `--asset: ${chain.name} has no such token with signed transfers.`,
      advice: `There are: ${ofChain.map((one) => one.shortcode).join(', ')}.`,
    };
  return { ok: true, network: { chain, chainId, token } };
}

const parsed = (given: string) => parseAnyNetwork(given);
const isSigned = (signing: TokenEntry['signing']): boolean => signing === 'TransferWithAuthorization';
