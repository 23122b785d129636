// Parses command-line options into payout terms that a processor accepts.

import { findChain, type Mode, normalizeAddress, PAYOUT_STATUS, type PayoutRequest, TOKENS } from '@svc-pay/core';
import { MAX_FEE_BPS, MAX_SPLITS, payoutTerms } from '@svc-pay/money';
import { familyOf, type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { type OperatedNetworks, processorOf } from '@svc-pay/runtime/config/networks';
import { readAccountPayout } from './read-account-payout.ts';
import { readEvmAddress, readSolanaAddress } from './read-address.ts';

export type PayoutOptions = {
  readonly account: string;
  readonly mode: Mode;
  readonly network: string;
  readonly merchant: string;
  readonly feeBps: string;
  readonly split?: readonly string[];
  readonly processor?: string;
  readonly payoutId?: string;
  readonly status?: PayoutRequest['status'];
};

export type PayoutRefused = { readonly ok: false; readonly message: string };
export type ReadPayout = { readonly ok: true; readonly request: PayoutRequest } | PayoutRefused;

const TERMS_MESSAGES = {
  fee_out_of_range: `--fee-bps is 0 to ${MAX_FEE_BPS}: hundredths of a percent`,
  too_many_splits: `a payout has at most ${MAX_SPLITS} splits`,
  shares_over_whole: 'the fee and the splits together are more than the whole (10000)',
  split_out_of_range: 'a split is 1 to 10000 basis points',
  split_without_recipient: 'a split names who gets it',
} as const;

export type PayoutRecipients = {
  readonly ok: true;
  readonly processor: string;
  readonly merchant: string;
  readonly splits: readonly { readonly to: string; readonly bps: number }[];
};

export function readPayout(options: PayoutOptions, networks: OperatedNetworks): ReadPayout {
  const network = parseNetwork(options.network);
  const chain = network && findChain(network);
  if (network === undefined || chain === undefined) return refuse('--network: no chain of the catalogue has this name');
  if (chain.mode !== options.mode) return refuse(`--network: ${chain.name} belongs to ${chain.mode} mode`);
  const recipients = readRecipients(options, network, networks);
  if (!recipients.ok) return recipients;
  const { processor, merchant, splits } = recipients;
  const result = payoutTerms({ feeBps: wholeNumber(options.feeBps), splits });
  if (!result.ok) return refuse(TERMS_MESSAGES[result.code]);

  const { payoutId } = options;
  if (payoutId !== undefined && !/^\d{1,18}$/.test(payoutId)) return refuse('--payout-id is a whole number');
  return {
    ok: true,
    request: {
      accountId: options.account,
      mode: options.mode,
      network,
      processor,
      merchant,
      terms: result.terms,
      status: options.status ?? (isAtWork(options.mode, network) ? PAYOUT_STATUS.active : PAYOUT_STATUS.pending),
      ...(payoutId !== undefined && { payoutId: BigInt(payoutId) }),
    },
  };
}

/** Where the merchant is paid with nothing between, nothing is to be set up on chain. */
const isAtWork = (mode: Mode, network: NetworkId) => mode === 'test' || familyOf(network) === 'icp';

function readRecipients(
  options: PayoutOptions,
  network: NetworkId,
  networks: OperatedNetworks,
): PayoutRecipients | PayoutRefused {
  const family = familyOf(network);
  if (family === 'icp') return readAccountPayout(options, network);
  const readAddress = family === 'solana' ? readSolanaAddress : readEvmAddress;

  const operated = networks.get(network);
  const configured = options.processor ?? (operated && processorOf(operated));
  if (configured === undefined) {
    return refuse(`--processor is missing, and SVC_NETWORKS names none for ${network}`);
  }
  const processor = readAddress(configured);
  if (!processor.ok) return refuse(`--processor: ${processor.message}`);

  const reserved = new Set([
    processor.address,
    ...TOKENS.filter((token) => token.network === network).map(({ address }) => normalizeAddress(address)),
  ]);
  const recipient = (name: string, text: string) => {
    const read = readAddress(text);
    if (!read.ok) return { ok: false, message: `${name}: ${read.message}` } as const;
    if (reserved.has(read.address)) {
      return {
        ok: false,
        message: `${name}: this is a contract of the payment itself; money sent there is stuck`,
      } as const;
    }
    return read;
  };
  const merchant = recipient('--merchant', options.merchant);
  if (!merchant.ok) return merchant;

  const splits: { to: string; bps: number }[] = [];
  for (const text of options.split ?? []) {
    const [to = '', share = ''] = text.split(':');
    const read = recipient('--split', to);
    if (!read.ok) return read;
    splits.push({ to: read.address, bps: wholeNumber(share) });
  }
  return { ok: true, processor: processor.address, merchant: merchant.address, splits };
}

const refuse = (message: string): PayoutRefused => ({ ok: false, message });

/** Returns -1, which no rule accepts, for anything but digits. */
function wholeNumber(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number.parseInt(text, 10) : -1;
}
