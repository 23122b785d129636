// The files of a release that a reader downloads: the image of HEAD with its sums, signed by a key of this test.
import { createHash, createPublicKey, sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildImage } from '../../tools/release/image/build-image.ts';
import { readOrder } from '../../tools/release/make-files.ts';
import { throwAwayKey } from '../../tools/release/sign-files.ts';

export type TestRelease =
  | { readonly ok: true; readonly version: string; readonly write: (folder: string, keyFile: string) => void }
  | { readonly ok: false; readonly why: string };

export async function makeTestRelease(root: string): Promise<TestRelease> {
  const order = readOrder(root);
  if (!order.ok) throw new Error(order.problem);
  const built = await buildImage(root, order);
  if (!built.ok && built.cause === 'inputs') return { ok: false, why: built.problems.join('; ') };
  if (!built.ok) throw new Error(built.problems.join('; '));
  const { archive } = built.image;
  const name = `${order.name}-${order.version}-linux-amd64.oci.tar`;
  const sums = Buffer.from(`${createHash('sha256').update(archive).digest('hex')}  ${name}\n`);
  const key = throwAwayKey();
  const write = (folder: string, keyFile: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, name), archive);
    writeFileSync(path.join(folder, 'SHA256SUMS'), sums);
    writeFileSync(path.join(folder, 'SHA256SUMS.sig'), sign(null, sums, key));
    writeFileSync(keyFile, createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  };
  return { ok: true, version: order.version, write };
}
