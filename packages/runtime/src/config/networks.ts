// The networks that an operator runs. One JSON serves every service; each service takes from it what it may know.
import { readFileSync } from 'node:fs';
import { type ExplorerUrls, findChain, PUBLIC_ROOT_KEY } from '@svc-pay/core';
import { familyOf, type NetworkId, parseNetwork } from '@svc-pay/protocol';
import * as z from 'zod/mini';
import { json } from './forms.ts';
import { type Setting, type SettingText, setting } from './setting.ts';

const rpcUrl = z.string().check(
  z.regex(/^https?:\/\/[^\s]+$/),
  z.refine((text) => URL.canParse(text)),
);

/** Wallets and pages open it: a script or a file is no explorer. */
const explorerUrl = z.optional(
  z.string().check(
    z.regex(/^https?:\/\/[^\s{}]+\{transactionId\}[^\s{}]*$/),
    z.refine((text) => URL.canParse(text)),
  ),
);

const usdText = z.string().check(z.regex(/^\d{1,9}(?:\.\d{1,18})?$/));
const blocks = z.int().check(z.minimum(1), z.maximum(10_000));

const confirmations = z.optional(z.union([blocks, z.array(z.strictObject({ fromUsd: usdText, blocks }))]));

/** Upper bound: longer blocks would leave an honest payer too little of the signature's lifetime to sign. */
const blockSeconds = z.optional(z.int().check(z.gte(1), z.lte(20)));

const evmNetwork = z.strictObject({
  processor: z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/)),
  processorVersion: z.string().check(z.regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/)),
  ready: z.boolean(),
  rpcUrls: z.optional(z.array(rpcUrl)),
  rpcUrlPublic: z.optional(rpcUrl),
  explorerUrl,
  maxFeeGwei: z.optional(z.int().check(z.gte(1), z.lte(1_000_000))),
  gasCoinUsd: z.optional(usdText),
  minimumUsd: z.optional(usdText),
  blockSeconds,
  confirmations,
});

const base58 = z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/));

const solanaNetwork = z.strictObject({
  feeAccount: base58,
  ready: z.boolean(),
  rpcUrls: z.optional(z.array(rpcUrl)),
  rpcUrlPublic: z.optional(rpcUrl),
  explorerUrl,
  gasCoinUsd: z.optional(usdText),
  minimumUsd: z.optional(usdText),
  blockSeconds,
  confirmations,
  genesisHash: z.optional(base58),
  program: z.optional(base58),
});

/** DER of a BLS12-381 key, as the Internet Computer writes it, in hex. */
const rootKey = z
  .string()
  .check(z.regex(/^308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100[0-9a-f]{192}$/));

const blockExplorerUrl = z.optional(
  z.string().check(
    z.regex(/^https?:\/\/[^\s{}]+(?:\{ledger\}[^\s{}]*)?\{blockIndex\}[^\s{}]*$/),
    z.refine((text) => URL.canParse(text)),
  ),
);

const icpNetwork = z.strictObject({
  ready: z.boolean(),
  rpcUrls: z.optional(z.array(rpcUrl)),
  rootKey: z.optional(rootKey),
  explorerUrl: blockExplorerUrl,
});

export type OperatedEvm = z.infer<typeof evmNetwork>;
export type OperatedSolana = z.infer<typeof solanaNetwork>;
/** Nothing stands between the payer and the merchant: neither a processor nor an account for a fee. */
export type OperatedIcp = z.infer<typeof icpNetwork>;
export type OperatedNetwork = OperatedEvm | OperatedSolana | OperatedIcp;
export type OperatedNetworks = ReadonlyMap<NetworkId, OperatedNetwork>;

export function isEvm(setup: OperatedNetwork): setup is OperatedEvm {
  return 'processor' in setup;
}

/** Solana has no processor contract, and names the receiver of the fee instead. */
export function isSolana(setup: OperatedNetwork): setup is OperatedSolana {
  return 'feeAccount' in setup;
}

export function isIcp(setup: OperatedNetwork): setup is OperatedIcp {
  return !isEvm(setup) && !isSolana(setup);
}

/**
 * A payout's `processor`: on Solana the account that gets the platform's fee, on EVM the contract that moves the money.
 * Undefined where it is the merchant of each payout.
 */
export function processorOf(setup: OperatedNetwork): string | undefined {
  if (isSolana(setup)) return setup.feeAccount;
  return isEvm(setup) ? setup.processor : undefined;
}

/** The smallest payment on a network, in dollars as text: as configured, else from the chain catalogue. */
export function minimumUsdOf(network: NetworkId, setup: OperatedNetwork): string {
  return (isIcp(setup) ? undefined : setup.minimumUsd) ?? findChain(network)?.minimumUsd ?? '0';
}

/** Addresses of transactions in block explorers, where the operator configured one. */
export function explorersOf(networks: OperatedNetworks): ExplorerUrls {
  return new Map(
    [...networks].flatMap(([network, { explorerUrl: url }]) => (url === undefined ? [] : [[network, url]])),
  );
}

/** Seconds between two blocks: as configured, else from the chain catalogue. */
export function blockSecondsOf(network: NetworkId, setup: OperatedNetwork): number {
  return (isIcp(setup) ? undefined : setup.blockSeconds) ?? findChain(network)?.blockSeconds ?? 1;
}

/** A network with real money; undefined if there are only test networks. */
export function liveNetworkOf(networks: OperatedNetworks): NetworkId | undefined {
  return [...networks.keys()].find((network) => findChain(network)?.mode === 'live');
}

const FORM =
  'JSON: CAIP-2 name → `processor` (0x address), `processorVersion` (`1.3.0`), `ready` (true or false) and, optional: `rpcUrls`, `rpcUrlPublic`, `explorerUrl` (address of a transaction in a block explorer, with `{transactionId}` in place of its id; payments name it to merchants and payers; absent: they name none), `maxFeeGwei` (the most that a unit of gas may cost), `gasCoinUsd` (what one coin that pays for gas is worth, as text), `minimumUsd` (smallest payment that is offered there, in dollars as text; absent: 2 on Ethereum, 0.01 to 0.02 on the other live networks, none on test networks; `0` takes any amount), `blockSeconds` (seconds between two blocks, 1 to 20; absent: 12 on Ethereum, 1 or 2 elsewhere) and `confirmations` (blocks before a payment is called completed, 1 unless told, or steps `[{ "fromUsd": "1000", "blocks": 3 }]`). On Solana `feeAccount` (who gets the platform’s fee) stands in place of `processor` and `processorVersion`, 32 `blocks` mean finalized, a local chain names its `genesisHash`, and `program` (test networks) is where wallets may pay by a signed message. On the Internet Computer (`icp:mainnet`) there are `ready`, `rpcUrls` (boundary nodes), `rootKey` (the network’s root key, DER in hex; needed for a local one alone) and `explorerUrl` (with `{blockIndex}`, and `{ledger}` before it, in place of the id)';

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

/** Networks of the one setting that was given; with neither, the service runs on no network. */
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

/** The root key of the public network is published, and under another money would be made up; a test network has its own. */
function isRootKeyOf(network: NetworkId, { rootKey: given }: OperatedIcp): boolean {
  if (findChain(network)?.mode === 'test') return given !== undefined;
  return given === undefined || given === PUBLIC_ROOT_KEY;
}

const FORMS = { evm: evmNetwork, solana: solanaNetwork, icp: icpNetwork };

function networksFrom(value: unknown): OperatedNetworks | undefined {
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (!parsed.success) return undefined;
  const networks = new Map<NetworkId, OperatedNetwork>();
  for (const [name, given] of Object.entries(parsed.data)) {
    const id = parseNetwork(name);
    if (id === undefined || findChain(id) === undefined) return undefined;
    const setup = FORMS[familyOf(id)].safeParse(given);
    if (!setup.success) return undefined;
    if (isIcp(setup.data) && !isRootKeyOf(id, setup.data)) return undefined;
    networks.set(id, setup.data);
  }
  return networks;
}
