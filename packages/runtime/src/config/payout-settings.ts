// Who approves direct payouts, and how soon a change counts: the same names in every process that uses a payout. They are
// settings and no rows, so that whoever can only write to the database approves nothing.
import { wholeNumber } from './forms.ts';
import { optional, type Setting, type SettingText, setting } from './setting.ts';

const HOUR_MS = 3_600_000;
const MAX_DELAY_HOURS = 720;

const evmAddresses = (about: SettingText): Setting<readonly string[]> =>
  setting(about, {
    form: '0x addresses, with commas between several',
    read: (given) => {
      const addresses = given.split(',').map((address) => address.trim().toLowerCase());
      return addresses.every((address) => /^0x(?!0{40}$)[0-9a-f]{40}$/.test(address)) ? addresses : undefined;
    },
  });

export const PAYOUT_SETTINGS = {
  payoutApprovers: optional(
    evmAddresses({
      name: 'SVC_PAYOUT_APPROVERS',
      about:
        'Addresses of the operators’ keys that approve direct payouts; the same for the API, settlement and the command. Absent: no direct payout is offered or settled.',
    }),
  ),
  payoutDelayHours: wholeNumber(
    {
      name: 'SVC_PAYOUT_DELAY_HOURS',
      about:
        'Hours from the signing of an activation that replaces a wallet until new intents use the new one; the same for the API, settlement and the command.',
      fallback: '24',
    },
    0,
    MAX_DELAY_HOURS,
  ),
};

export type PayoutRules = { readonly approvers: ReadonlySet<string>; readonly delayMs: number };

/** As the check of an activation takes them. */
export function payoutRules(config: {
  readonly payoutApprovers: readonly string[] | undefined;
  readonly payoutDelayHours: number;
}): PayoutRules {
  return { approvers: new Set(config.payoutApprovers), delayMs: config.payoutDelayHours * HOUR_MS };
}
