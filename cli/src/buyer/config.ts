// Settings of the buyer's command. It calls sellers only: no database, and no secret of the operator.
import { homedir } from 'node:os';
import path from 'node:path';
import { type Environment, optional, readSettings, secret, text } from '@svc-pay/runtime/config';

export const BUYER_SETTINGS = {
  key: optional(secret(text({ name: 'SVC_AGENT_KEY', about: 'Private key of the payer, 32 bytes in hex with 0x.' }))),
  store: optional(
    text({
      name: 'SVC_AGENT_STORE',
      about: 'Folder that keeps what was paid. Default: `.svc-pay/agent` in the home folder.',
    }),
  ),
  maxPerHost: text({
    name: 'SVC_AGENT_MAX_PER_HOST',
    about: 'Most that one host is paid in a day of UTC, in whole dollar tokens.',
    fallback: '1.00',
  }),
  maxPerDay: text({
    name: 'SVC_AGENT_MAX_PER_DAY',
    about: 'Most that all hosts together are paid in a day of UTC, in whole dollar tokens.',
    fallback: '5.00',
  }),
};

export type BuyerConfig = {
  readonly privateKey: `0x${string}`;
  readonly store: string;
  readonly maxPerHost: string;
  readonly maxPerDay: string;
};

export type ReadBuyerConfig =
  | { readonly ok: true; readonly config: BuyerConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reports problems by the name of the variable and never by its value. */
export function readBuyerConfig(environment: Environment): ReadBuyerConfig {
  const read = readSettings(BUYER_SETTINGS, environment);
  if (!read.ok) return read;
  const { key: privateKey, store = path.join(homedir(), '.svc-pay', 'agent'), maxPerHost, maxPerDay } = read.values;
  const problem = (text: string) => ({ ok: false, problems: [text] }) as const;
  if (privateKey === undefined) return problem('SVC_AGENT_KEY is missing: the payer’s private key');
  if (!isKey(privateKey)) return problem('SVC_AGENT_KEY must be 32 bytes in hex with 0x');
  return { ok: true, config: { privateKey, store, maxPerHost, maxPerDay } };
}

const isKey = (text: string): text is `0x${string}` => /^0x[0-9a-fA-F]{64}$/.test(text);
