// Parses command-line options into the terms of a direct payout.
import { findChain, type Mode, type NextActivation, normalizeAddress, TOKENS, type WalletUse } from '@svc-pay/core';
import { parseNetwork } from '@svc-pay/protocol';
import { type OperatedNetworks, processorOf } from '@svc-pay/runtime/config/networks';
import { readEvmAddress } from './read-address.ts';

export type ActivateOptions = {
  readonly account: string;
  readonly mode: Mode;
  readonly network: string;
  readonly asset: string;
  readonly wallet: string;
  readonly use: WalletUse;
};

export type ReadActivation =
  | { readonly ok: true; readonly wanted: NextActivation }
  | { readonly ok: false; readonly message: string };

export function readActivationOptions(options: ActivateOptions, networks: OperatedNetworks): ReadActivation {
  const network = parseNetwork(options.network);
  const chain = network && findChain(network);
  if (network === undefined || chain === undefined) return refuse('--network: no chain of the catalogue has this name');
  if (chain.mode !== options.mode) return refuse(`--network: ${chain.name} belongs to ${chain.mode} mode`);
  const shortcode = options.asset.toLowerCase();
  const here = TOKENS.filter((token) => token.network === network);
  const token = here.find((entry) => entry.shortcode === shortcode);
  if (token === undefined) return refuse(`--asset: ${network} has no token of this shortcode`);
  if (token.signing !== 'TransferWithAuthorization' || token.directLogs === undefined)
    return refuse(`--asset: ${token.shortcode} takes no direct payments: its logs do not prove them`);
  const wallet = readEvmAddress(options.wallet);
  if (!wallet.ok) return refuse(`--wallet: ${wallet.message}`);
  const setup = networks.get(network);
  const reserved = [...here.map(({ address }) => address), setup && processorOf(setup)];
  if (reserved.some((address) => address !== undefined && normalizeAddress(address) === wallet.address))
    return refuse('--wallet: this is a contract of the payment itself; money sent there is stuck');
  const { account: accountId, mode, use } = options;
  return {
    ok: true,
    wanted: { accountId, mode, network, asset: normalizeAddress(token.address), wallet: wallet.address, use },
  };
}

const refuse = (message: string): ReadActivation => ({ ok: false, message });
