// A payout on the Internet Computer: an account of the merchant, which payers pay with nothing between.
import { ANONYMOUS_PRINCIPAL, MANAGEMENT_CANISTER, parseAccount, TOKENS } from '@svc-pay/core';
import type { NetworkId } from '@svc-pay/protocol';
import type { PayoutOptions, PayoutRecipients, PayoutRefused } from './read-payout.ts';

type Options = Pick<PayoutOptions, 'merchant' | 'split' | 'processor' | 'feeBps'>;

export function readAccountPayout(
  { merchant, split = [], processor, feeBps }: Options,
  network: NetworkId,
): PayoutRecipients | PayoutRefused {
  if (split.length > 0)
    return refuse(
      '--split: a transfer on this network has one recipient. A share for others would need an allowance to this service, ' +
        'which would hold the merchant’s money then; pay them from the merchant’s account',
    );
  if (feeBps !== '0')
    return refuse(
      '--fee-bps: it is 0 on this network, because a transfer has one recipient and the service never holds the money; bill ' +
        'your fee by what `statement` shows',
    );
  const parts = parseAccount(merchant);
  if (parts === undefined)
    return refuse(
      '--merchant: an account is a principal, or a principal with a subaccount as ICRC-1 writes it, in small letters; this ' +
        'text is none, or its checksum does not fit',
    );
  const { owner } = parts;
  if (owner === ANONYMOUS_PRINCIPAL) return refuse('--merchant: everybody can spend what the anonymous principal has');
  if (owner === MANAGEMENT_CANISTER) return refuse('--merchant: the management canister belongs to nobody');
  if (TOKENS.some((token) => token.network === network && token.address === owner))
    return refuse('--merchant: this is the ledger of a token; money sent there is stuck');
  if (processor !== undefined && processor !== merchant)
    return refuse('--processor: this network has none; leave it out');
  return { ok: true, processor: merchant, merchant, splits: [] };
}

const refuse = (message: string): PayoutRefused => ({ ok: false, message });
