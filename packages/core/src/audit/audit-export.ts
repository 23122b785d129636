// Export of the heads of all audit chains, signed. Whoever owns the database can write every chain anew; a signed line that is
// kept elsewhere shows it. Exports are a chain themselves: each has the heads that changed since the one before it, and its
// hash covers them and the hash before.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { FIRST_PREVIOUS_HASH } from './audit-entry.ts';

export type ChainHead = {
  readonly accountId: string;
  readonly mode: string;
  readonly sequence: bigint;
  readonly hash: Uint8Array;
};

export type AuditExport = {
  readonly number: bigint;
  readonly createdAtMs: number;
  /** JSON text, exactly as stored: `[[account, mode, sequence, hash in hex], …]`. */
  readonly heads: string;
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
  readonly signature: Uint8Array;
  /** Public half of the key that signed. */
  readonly signedBy: Uint8Array;
};

/** What is kept elsewhere. Hash, signature and key are base64. */
export type SignedHead = {
  readonly number: string;
  readonly createdAtMs: number;
  readonly hash: string;
  readonly signature: string;
  readonly signedBy: string;
};

export type AuditSigner = { readonly publicKey: Uint8Array; readonly sign: (message: Uint8Array) => Uint8Array };

const KEY_BYTES = 32;
// Fixed prefixes of Ed25519 keys in PKCS #8 and SPKI.
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** `seed`: 32 bytes, the private half of an Ed25519 key. */
export function createAuditSigner(seed: Uint8Array): AuditSigner {
  if (seed.length !== KEY_BYTES) throw new RangeError('the signing key of the audit record is 32 bytes');
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_DER, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { publicKey: spki.subarray(PUBLIC_DER.length), sign: (message) => sign(null, message, key) };
}

/** The next export. `last` is undefined for the first one. */
export function nextExport(
  last: Pick<AuditExport, 'number' | 'hash'> | undefined,
  heads: readonly ChainHead[],
  nowMs: number,
  signer: AuditSigner,
): AuditExport {
  const content = {
    number: (last?.number ?? 0n) + 1n,
    createdAtMs: nowMs,
    heads: JSON.stringify(
      heads.map(({ accountId, mode, sequence, hash }) => [accountId, mode, sequence.toString(), toHex(hash)]),
    ),
    previousHash: last?.hash ?? FIRST_PREVIOUS_HASH,
  };
  const hash = hashExport(content);
  const signature = signer.sign(signedMessage({ ...content, hash }));
  return { ...content, hash, signature, signedBy: signer.publicKey };
}

export type ExportFault = 'gap' | 'link' | 'content' | 'signature' | 'key';

/**
 * Checks one export against the one before it. `trusted`: keys that may have signed, the newest first; undefined accepts any.
 * Where a key has signed, an older one signs no more: who has a key that was replaced can add nothing.
 */
export function judgeExport(
  one: AuditExport,
  last: Pick<AuditExport, 'number' | 'hash' | 'signedBy'> | undefined,
  trusted: readonly Uint8Array[] | undefined,
): ExportFault | undefined {
  if (one.number !== (last?.number ?? 0n) + 1n) return 'gap';
  if (!sameBytes(one.previousHash, last?.hash ?? FIRST_PREVIOUS_HASH)) return 'link';
  if (!sameBytes(one.hash, hashExport(one))) return 'content';
  if (trusted !== undefined && !mayFollow(one.signedBy, last?.signedBy, trusted)) return 'key';
  return isSigned(one, one.signature, one.signedBy) ? undefined : 'signature';
}

function mayFollow(key: Uint8Array, before: Uint8Array | undefined, trusted: readonly Uint8Array[]): boolean {
  const rankOf = (asked: Uint8Array) => trusted.findIndex((each) => sameBytes(each, asked));
  const [rank, rankBefore] = [rankOf(key), before === undefined ? -1 : rankOf(before)];
  return rank !== -1 && (rankBefore === -1 || rank <= rankBefore);
}

export function headsOf({ heads }: Pick<AuditExport, 'heads'>): readonly ChainHead[] {
  const rows = JSON.parse(heads) as readonly [string, string, string, string][];
  return rows.map(([accountId, mode, sequence, hash]) => ({
    accountId,
    mode,
    sequence: BigInt(sequence),
    hash: Buffer.from(hash, 'hex'),
  }));
}

export function signedHeadOf({ number, createdAtMs, hash, signature, signedBy }: AuditExport): SignedHead {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    number: number.toString(),
    createdAtMs,
    hash: text(hash),
    signature: text(signature),
    signedBy: text(signedBy),
  };
}

/**
 * Checks a line that was kept elsewhere against the export of its number in the database. `missing`: the database has no such
 * export. `rewritten`: it has another one.
 */
export function judgeSignedHead(
  { number, createdAtMs, hash, signature }: SignedHead,
  stored: Pick<AuditExport, 'hash'> | undefined,
  trusted: readonly Uint8Array[],
): 'signature' | 'missing' | 'rewritten' | undefined {
  const kept = Buffer.from(hash, 'base64');
  const signed = { number: BigInt(number), createdAtMs, hash: kept };
  if (!trusted.some((key) => isSigned(signed, Buffer.from(signature, 'base64'), key))) return 'signature';
  if (stored === undefined) return 'missing';
  return sameBytes(kept, stored.hash) ? undefined : 'rewritten';
}

function hashExport({
  number,
  createdAtMs,
  heads,
  previousHash,
}: Pick<AuditExport, 'number' | 'createdAtMs' | 'heads' | 'previousHash'>): Uint8Array {
  const fields = JSON.stringify([number.toString(), createdAtMs, heads]);
  return createHash('sha256').update(previousHash).update(fields).digest();
}

type Signed = Pick<AuditExport, 'number' | 'createdAtMs' | 'hash'>;

/** Names its purpose, so that the signature can't be taken for one of another text. */
function signedMessage({ number, createdAtMs, hash }: Signed): Uint8Array {
  return Buffer.concat([Buffer.from(`svc audit head v1\n${number}\n${createdAtMs}\n`), hash]);
}

function isSigned(signed: Signed, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const key = publicKeyOf(publicKey);
  return key !== undefined && verify(null, signedMessage(signed), key, signature);
}

function publicKeyOf(raw: Uint8Array): KeyObject | undefined {
  if (raw.length !== KEY_BYTES) return undefined;
  try {
    return createPublicKey({ key: Buffer.concat([PUBLIC_DER, raw]), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const sameBytes = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;
