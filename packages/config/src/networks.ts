// What an operator runs on each network. One JSON serves every service; a service takes from it what it may know.
import { readFileSync } from 'node:fs';
import { findChain } from '@svc-pay/core';
import { familyOf, type NetworkId, parseNetwork } from '@svc-pay/protocol';
import * as z from 'zod/mini';
import { json } from './forms.ts';
import { type Setting, type SettingText, setting } from './setting.ts';

const rpcUrl = z.string().check(
  z.regex(/^https?:\/\/[^\s]+$/),
  z.refine((text) => URL.canParse(text)),
);

const usdText = z.string().check(z.regex(/^\d{1,9}(?:\.\d{1,18})?$/));
const blocks = z.int().check(z.minimum(1), z.maximum(10_000));

const confirmations = z.optional(z.union([blocks, z.array(z.strictObject({ fromUsd: usdText, blocks }))]));

const evmNetwork = z.strictObject({
  processor: z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/)),
  processorVersion: z.string().check(z.regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/)),
  ready: z.boolean(),
  rpcUrls: z.optional(z.array(rpcUrl)),
  rpcUrlPublic: z.optional(rpcUrl),
  maxFeeGwei: z.optional(z.int().check(z.gte(1), z.lte(1_000_000))),
  gasCoinUsd: z.optional(usdText),
  confirmations,
});

const base58 = z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/));

const solanaNetwork = z.strictObject({
  feeAccount: base58,
  ready: z.boolean(),
  rpcUrls: z.optional(z.array(rpcUrl)),
  rpcUrlPublic: z.optional(rpcUrl),
  gasCoinUsd: z.optional(usdText),
  confirmations,
  genesisHash: z.optional(base58),
  program: z.optional(base58),
});

export type OperatedEvm = z.infer<typeof evmNetwork>;
export type OperatedSolana = z.infer<typeof solanaNetwork>;
/** Told apart by `isSolana`: on Solana no contract stands between, and who gets the fee is named instead. */
export type OperatedNetwork = OperatedEvm | OperatedSolana;
export type OperatedNetworks = ReadonlyMap<NetworkId, OperatedNetwork>;

export function isSolana(setup: OperatedNetwork): setup is OperatedSolana {
  return 'feeAccount' in setup;
}

/** Where an amount goes that is for the platform, or through which all of it goes: a payout's `processor`. */
export function processorOf(setup: OperatedNetwork): string {
  return isSolana(setup) ? setup.feeAccount : setup.processor;
}

const FORM =
  'JSON: CAIP-2 name → `processor` (0x address), `processorVersion` (`1.3.0`), `ready` (true or false) and, optional: `rpcUrls`, `rpcUrlPublic`, `maxFeeGwei` (the most that a unit of gas may cost), `gasCoinUsd` (what one coin that pays for gas is worth, as text) and `confirmations` (blocks before a payment is called completed, 1 unless told, or steps `[{ "fromUsd": "1000", "blocks": 3 }]`). On Solana `feeAccount` (who gets the platform’s fee) stands in place of `processor` and `processorVersion`, 32 `blocks` mean finalized, a local chain names its `genesisHash`, and `program` (test networks) is where wallets may pay by a signed message';

export const networksJson = (about: SettingText): Setting<OperatedNetworks> => json(about, FORM, networksFrom);

export const networksFile = (about: SettingText): Setting<OperatedNetworks> =>
  setting(about, {
    form: 'path of a readable file with that JSON',
    read: (path) => {
      try {
        return networksFrom(JSON.parse(readFileSync(path, 'utf8')));
      } catch {
        return undefined;
      }
    },
  });

/** From the one of the two settings that was given; none runs nowhere. */
export function chosenNetworks(given: {
  readonly networks: OperatedNetworks | undefined;
  readonly networksFile: OperatedNetworks | undefined;
}): { readonly networks: OperatedNetworks; readonly problems: readonly string[] } {
  const { networks, networksFile: fromFile } = given;
  const both = networks !== undefined && fromFile !== undefined;
  return {
    networks: networks ?? fromFile ?? new Map(),
    problems: both ? ['SVC_NETWORKS and SVC_NETWORKS_FILE are both given; one is enough'] : [],
  };
}

function networksFrom(value: unknown): OperatedNetworks | undefined {
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (!parsed.success) return undefined;
  const networks = new Map<NetworkId, OperatedNetwork>();
  for (const [name, given] of Object.entries(parsed.data)) {
    const id = parseNetwork(name);
    if (id === undefined || findChain(id) === undefined) return undefined;
    const setup = (familyOf(id) === 'solana' ? solanaNetwork : evmNetwork).safeParse(given);
    if (!setup.success) return undefined;
    networks.set(id, setup.data);
  }
  return networks;
}
