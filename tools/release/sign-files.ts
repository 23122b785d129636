// Signs the sums of a release, and with them every file, by an ed25519 key that openssl can make and check.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
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

/**
 * The names of the files it adds. They are not in SHA256SUMS, because another key gives other bytes.
 * The public key is not among them: whoever changes a download would put their own key next to it.
 */
export function signFiles(directory: string, provenance: string, key: KeyObject): readonly string[] {
  const write = (file: string, content: string | Buffer) => {
    writeFileSync(path.join(directory, file), content);
    return file;
  };
  const statement = readFileSync(path.join(directory, provenance), 'utf8');
  return [
    write('SHA256SUMS.sig', sign(null, readFileSync(path.join(directory, 'SHA256SUMS')), key)),
    write(provenance.replace(/\.json$/, '.intoto.jsonl'), signedEnvelope(statement, key)),
  ];
}
