// The image of this commit under two versions: what is deployed first, and what it is upgraded to.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildImage } from '../../tools/release/image/build-image.ts';
import { readOrder } from '../../tools/release/make-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

export type ReleaseImages =
  | { readonly ok: true; readonly archives: readonly string[]; readonly names: readonly [string, string] }
  | { readonly ok: false; readonly why: string };

/** Writes the archives into the folder. */
export async function releaseImages(folder: string): Promise<ReleaseImages> {
  const order = readOrder(ROOT);
  if (!order.ok) return { ok: false, why: order.problem };
  const versions = [order.version, `${order.version}-next`] as const;
  mkdirSync(folder, { recursive: true });
  const archives: string[] = [];
  for (const version of versions) {
    const built = await buildImage(ROOT, { ...order, version });
    if (!built.ok) {
      if (built.cause === 'content') throw new Error(built.problems.join('; '));
      return { ok: false, why: built.problems.join('; ') };
    }
    const archive = path.join(folder, `svc-pay-${version}.oci.tar`);
    writeFileSync(archive, built.image.archive);
    archives.push(archive);
  }
  const name = (version: string) => `localhost/${order.name}:${version}`;
  return { ok: true, archives, names: [name(versions[0]), name(versions[1])] };
}
