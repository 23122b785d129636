// Signs the sums of a release, and with them every file, by an ed25519 key that openssl can make and check.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { signedEnvelope } from './provenance.ts';

type Opened = { readonly ok: true; readonly key: KeyObject } | { readonly ok: false; readonly problem: string };

/** A key that is forgotten when the command ends: a dry run shows the steps and vouches for nothing. */
export const throwAwayKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

export function openSigningKey(file: string): Opened {
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      return { ok: false, problem: `${file}: others may read the signing key; run chmod 600 on it` };
    const key = createPrivateKey(readFileSync(file));
    if (key.asymmetricKeyType !== 'ed25519')
      return { ok: false, problem: `${file}: the signing key is ${key.asymmetricKeyType}, not ed25519` };
    return { ok: true, key };
  } catch (problem) {
    const reason = problem instanceof Error && 'code' in problem ? String(problem.code) : 'unreadable';
    return { ok: false, problem: `${file}: no private key in PEM without a password can be read (${reason})` };
  }
}

/** sha256 of the public key: `openssl pkey -pubin -in release-key.pem -outform DER | sha256sum`. */
export function fingerprintOf(key: KeyObject): string {
  return createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

type Signed =
  | { readonly ok: true; readonly files: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * The names of the files it adds. They are not in SHA256SUMS, because another key gives other bytes.
 * The public key is not among them: whoever changes a download would put their own key next to it.
 */
export function signFiles(directory: string, key: KeyObject): Signed {
  const sums = readSums(directory);
  if (!sums.ok) return sums;
  const provenance = sums.files.find((file) => file.endsWith('.provenance.json'));
  if (provenance === undefined) return { ok: false, problems: [`${directory} has no provenance statement`] };
  const write = (file: string, content: string | Buffer) => {
    writeFileSync(path.join(directory, file), content);
    return file;
  };
  const statement = readFileSync(path.join(directory, provenance), 'utf8');
  const files = [
    write('SHA256SUMS.sig', sign(null, sums.text, key)),
    write(envelopeOf(provenance), signedEnvelope(statement, key)),
  ];
  return { ok: true, files };
}

const envelopeOf = (provenance: string) => provenance.replace(/\.json$/, '.intoto.jsonl');

type Sums =
  | { readonly ok: true; readonly text: Buffer; readonly files: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Nothing is signed that changed since it was built, and no file lies beside that the sums don't name. */
function readSums(directory: string): Sums {
  if (!existsSync(path.join(directory, 'SHA256SUMS')))
    return {
      ok: false,
      problems: [`${directory} has no SHA256SUMS; make the files first: npm run release -- --unsigned`],
    };
  const text = readFileSync(path.join(directory, 'SHA256SUMS'));
  const lines = text.toString('utf8').trim().split('\n');
  const sums = new Map(lines.map((line): [string, string] => [line.slice(66), line.slice(0, 64)]));
  const ours = ['SHA256SUMS', 'SHA256SUMS.sig', ...[...sums.keys()].map(envelopeOf)];
  const problems = [
    ...readdirSync(directory)
      .filter((file) => !sums.has(file) && !ours.includes(file))
      .map((file) => `${file} is not named in SHA256SUMS`),
    ...[...sums]
      .filter(([file, sha256]) => sha256Of(path.join(directory, file)) !== sha256)
      .map(([file]) => `${file} is not what SHA256SUMS says`),
  ];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, text, files: [...sums.keys()] };
}

const sha256Of = (file: string) =>
  existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : undefined;
