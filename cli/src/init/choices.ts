// What an operator chooses for a new folder of settings, read from the options of `svc init`.
import path from 'node:path';
import { CHAINS, type Chain, parseRange } from '@svc-pay/core';
import { familyOf } from '@svc-pay/protocol';

/** `compose`: services in containers, by their names. `server`: processes of one machine, over loopback. */
type DeploymentForm = 'compose' | 'server';

/** User and group of the services. */
export type FileOwner = { readonly uid: number; readonly gid: number };

export type InitChoices = {
  /** Absolute: the same path on the machine and in the containers. */
  readonly folder: string;
  readonly form: DeploymentForm;
  readonly chains: readonly Chain[];
  /** Base address of the API from outside, without a path. */
  readonly publicUrl: string;
  /** Origin of the console. Undefined: the installation has none. */
  readonly consoleUrl?: string | undefined;
  readonly origins: readonly string[];
  /** Who may say to the API and the console whom it forwards for. In the compose form Caddy is the first. */
  readonly proxies: readonly string[];
  /** Proxies of the operator that stand in front of the Caddy of the compose form. */
  readonly outerProxies: readonly string[];
  /** Proxies that a request passes, Caddy among them. */
  readonly hops: number;
  /** `host:port/database`, perhaps with parameters. */
  readonly database: string;
  readonly image: string;
  readonly subnet: ComposeSubnet;
  readonly relayers: number;
  readonly owner: FileOwner;
};

/**
 * Addresses of the network between Caddy, the console and the API. Docker hands out those of `dynamic` alone: the API starts
 * before Caddy, and would get Caddy's address.
 */
type ComposeSubnet = {
  readonly range: string;
  readonly proxy: string;
  readonly console: string;
  readonly dynamic: string;
};

export type InitOptions = {
  readonly for: DeploymentForm;
  readonly network?: readonly string[];
  readonly public: string;
  readonly console?: string;
  readonly origin?: readonly string[];
  readonly proxy?: readonly string[];
  readonly hops?: string;
  readonly database?: string;
  readonly image?: string;
  readonly subnet: string;
  readonly relayers: string;
  readonly owner?: string;
};

export type ReadChoices =
  | { readonly ok: true; readonly choices: InitChoices }
  | { readonly ok: false; readonly problem: string; readonly advice: string };

/** Uid and gid of the image, for an operator who is root. */
const IMAGE_OWNER: FileOwner = { uid: 65_532, gid: 65_532 };
const MAX_RELAYERS = 16;
/** Of SVC_API_TRUSTED_HOPS. */
const MAX_HOPS = 10;

export function readChoices(folder: string, options: InitOptions, self: FileOwner): ReadChoices {
  const { form, network = [], origin = [], proxy = [] } = { form: options.for, ...options };
  const no = (problem: string, advice: string): ReadChoices => ({ ok: false, problem, advice });
  if (!/^[A-Za-z0-9._/-]+$/.test(folder))
    return no(
      'The path of the folder has characters that env files and YAML treat specially.',
      'Use A-Z a-z 0-9 . _ - and /.',
    );
  const found = network.map((name) => ({ name, chain: findOperatedChain(name) }));
  const unknown = found.find(({ chain }) => chain === undefined);
  if (unknown !== undefined || found.length === 0)
    return no(
      unknown === undefined ? 'No network is named.' : `${unknown.name} is no network of the catalogue.`,
      `Name one or more with --network: ${operatedChains().map(slugOf).join(', ')}.`,
    );
  const publicUrl = originOf(options.public);
  if (publicUrl === undefined)
    return no('--public is no address without a path.', 'Give such as https://pay.example.com.');
  const consoleUrl = options.console === undefined ? undefined : originOf(options.console);
  if (options.console !== undefined && consoleUrl?.startsWith('https:') !== true)
    return no('--console is no https address without a path.', 'Give such as https://console.example.com.');
  if (consoleUrl !== undefined && new URL(consoleUrl).hostname === new URL(publicUrl).hostname)
    return no('--console has the host name of the API.', 'Give it a name of its own: cookies know no ports.');
  const origins = origin.map(originOf);
  if (origins.includes(undefined)) return no('--origin is no origin.', 'Give such as https://shop.example.com.');
  const database = options.database ?? (form === 'compose' ? 'postgres:5432/svc_pay' : '127.0.0.1:5432/svc_pay');
  if (!isDatabase(database))
    return no(
      '--database is no host:port/name, or carries a user or a password.',
      'Give such as db.internal:5432/svc_pay.',
    );
  const subnet = subnetOf(options.subnet);
  if (subnet === undefined) return no('--subnet is no /24 of private addresses.', 'Give such as 172.30.84.0/24.');
  const image = options.image ?? '';
  if (form === 'compose' && !/^[a-z0-9][\w.:/@-]*$/i.test(image))
    return no('--image is missing, or is no name of an image.', 'Name the image of the release with --image.');
  const relayers = /^\d{1,2}$/.test(options.relayers) ? Number.parseInt(options.relayers, 10) : -1;
  if (relayers < 0 || relayers > MAX_RELAYERS) return no(`--relayers is 0 to ${MAX_RELAYERS}.`, 'Give a number.');
  const trust = trustOf(form, subnet.proxy, proxy, options.hops);
  if ('problem' in trust) return no(trust.problem, trust.advice);
  const owner = ownerOf(options.owner, form, self);
  if (owner === undefined) return no('--owner is no uid:gid.', 'Give numbers such as 65532:65532.');
  return {
    ok: true,
    choices: {
      folder: path.resolve(folder),
      form,
      chains: [...new Set(found.flatMap(({ chain }) => chain ?? []))],
      publicUrl,
      consoleUrl,
      // The checkout page of the API is a page of its own address.
      origins: [...new Set([publicUrl, ...origins.filter((each) => each !== undefined)])],
      ...trust,
      database,
      image,
      subnet,
      relayers,
      owner,
    },
  };
}

/** `Base Sepolia` is `base-sepolia`. */
export const slugOf = ({ name }: Chain): string => name.toLowerCase().replaceAll(' ', '-');

const operatedChains = () => CHAINS.filter(({ network }) => ['evm', 'solana'].includes(familyOf(network)));

/** By CAIP-2 name, by slug, or by the beginning of exactly one slug. */
export function findOperatedChain(given: string): Chain | undefined {
  const chains = operatedChains();
  const exact = chains.find((chain) => chain.network === given || slugOf(chain) === given);
  const begun = chains.filter((chain) => slugOf(chain).startsWith(`${given}-`));
  return exact ?? (begun.length === 1 ? begun[0] : undefined);
}

function originOf(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.href === `${url.origin}/` ? url.origin : undefined;
}

function isDatabase(given: string): boolean {
  const text = `postgres://${given}`;
  if (!/^[\w.:[\]/?=&-]+$/.test(given) || !URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  return hostname !== '' && /^\/\w+$/.test(pathname);
}

function subnetOf(given: string): ComposeSubnet | undefined {
  const [, start] = /^((?:10\.\d{1,3}|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.\d{1,3}\.)0\/24$/.exec(given) ?? [];
  if (start === undefined) return undefined;
  return { range: given, proxy: `${start}2`, console: `${start}3`, dynamic: `${start}128/25` };
}

type Trust = Pick<InitChoices, 'proxies' | 'outerProxies' | 'hops'>;
type Refusal = { readonly problem: string; readonly advice: string };

function trustOf(
  form: DeploymentForm,
  caddy: string,
  given: readonly string[],
  hopsText: string | undefined,
): Trust | Refusal {
  if (given.some((each) => parseRange(each) === undefined))
    return { problem: '--proxy is no address and no range.', advice: 'Give such as 10.0.0.5 or 10.0.0.0/28.' };
  const least = form === 'compose' && given.length > 0 ? 2 : 1;
  const hops = hopsText === undefined ? least : /^\d{1,2}$/.test(hopsText) ? Number.parseInt(hopsText, 10) : 0;
  if (hops < 1 || hops > MAX_HOPS) return { problem: `--hops is 1 to ${MAX_HOPS}.`, advice: 'Give a number.' };
  if (form === 'server') return { proxies: given.length > 0 ? given : ['127.0.0.1'], outerProxies: [], hops };
  if (hops < least)
    return { problem: '--hops 1 leaves out Caddy or the proxy before it.', advice: 'Count Caddy: give 2 or more.' };
  if (hops > 1 && given.length === 0)
    return {
      problem: 'Caddy is the only proxy of the compose file, and --hops counts more.',
      advice: 'Name the proxies before Caddy with --proxy.',
    };
  return { proxies: [caddy, ...given], outerProxies: given, hops };
}

function ownerOf(given: string | undefined, form: DeploymentForm, self: FileOwner): FileOwner | undefined {
  if (given === undefined) return self.uid === 0 && form === 'compose' ? IMAGE_OWNER : self;
  const [, uid, gid] = /^(\d{1,9}):(\d{1,9})$/.exec(given) ?? [];
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number.parseInt(uid, 10), gid: Number.parseInt(gid, 10) };
}
