// The form in which an activation is stored. Whoever can write to the database can write anything here, so the reader
// takes the one form that we write and nothing else; what it says is then checked against both signatures.
import { parseNetwork } from '@svc-pay/protocol';
import { MODES } from '../account/mode.ts';
import { MAX_REPLACED, type PayoutActivation, WALLET_USES } from './activation.ts';

export type StoredActivation = Omit<PayoutActivation, 'number' | 'signedAtSeconds' | 'replaced'> & {
  /** Whole numbers are decimal text. */
  readonly number: string;
  readonly signedAtSeconds: string;
  readonly replaced?: StoredActivation;
};

export function storedActivation({ replaced, ...activation }: PayoutActivation): StoredActivation {
  return {
    installation: activation.installation,
    accountId: activation.accountId,
    mode: activation.mode,
    network: activation.network,
    asset: activation.asset,
    wallet: activation.wallet,
    use: activation.use,
    number: activation.number.toString(),
    replaces: activation.replaces,
    signedAtSeconds: activation.signedAtSeconds.toString(),
    walletSignature: activation.walletSignature,
    approver: activation.approver,
    approverSignature: activation.approverSignature,
    ...(replaced !== undefined && { replaced: storedActivation(replaced) }),
  };
}

const FIELDS: Readonly<Record<keyof Omit<StoredActivation, 'replaced'>, (value: unknown) => boolean>> = {
  installation: matches(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  accountId: matches(/^[A-Za-z0-9_]{1,64}$/),
  mode: (value) => MODES.some((mode) => mode === value),
  network: (value) => typeof value === 'string' && parseNetwork(value) === value,
  asset: isAddress,
  wallet: isAddress,
  use: (value) => WALLET_USES.some((use) => use === value),
  number: isWhole,
  replaces: (value) => value === null || isAddress(value),
  signedAtSeconds: isWhole,
  walletSignature: isSignature,
  approver: isAddress,
  approverSignature: isSignature,
};

/** Undefined for anything that `storedActivation` does not write. */
export function readActivation(value: unknown, depth = 0): PayoutActivation | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > MAX_REPLACED) return undefined;
  const { replaced: given, ...rest } = value as Record<string, unknown>;
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  const whole = Object.keys(rest).length === names.length && names.every((name) => FIELDS[name](rest[name]));
  if (!whole) return undefined;
  const stored = rest as Omit<StoredActivation, 'replaced'>;
  const terms = { ...stored, number: BigInt(stored.number), signedAtSeconds: BigInt(stored.signedAtSeconds) };
  if (!('replaced' in value)) return terms;
  const replaced = readActivation(given, depth + 1);
  return replaced && { ...terms, replaced };
}

function matches(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value);
}

/** Lower case, and not the zero address, which says that nothing is replaced. */
function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value) && !/^0x0{40}$/.test(value);
}

function isWhole(value: unknown): boolean {
  return typeof value === 'string' && /^(?:0|[1-9]\d{0,18})$/.test(value) && BigInt(value) < 1n << 63n;
}

/** A contract wallet's may be long: the signatures of all its owners. */
function isSignature(value: unknown): boolean {
  return typeof value === 'string' && /^0x(?:[0-9a-f]{2}){1,4096}$/.test(value);
}
