// CycloneDX bill of materials of a production install on every platform, read from the lock: our workspaces and the
// packages of others that they need, each with its hash and with what it needs in turn. `npm sbom --omit=dev` is of no use
// here: it leaves out every package that the root manifest also names for development.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Lock, type LockEntry, locate, neededBy } from './image/installed-packages.ts';

type Product = { readonly name: string; readonly version: string; readonly committedAt: string };
type Bill = { readonly json: string; readonly count: number };

/** The same lock gives the same bytes, wherever it is checked out. */
export function billOfMaterials(root: string, { name, version, committedAt }: Product): Bill {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
  const locations = Object.entries(lock.packages).filter(
    ([location, { dev, link }]) => location !== '' && dev !== true && link !== true,
  );
  const parts = new Map(locations.map(([location, entry]) => [purlOf(location, entry), { location, entry }]));
  const purls = [...parts.keys()].sort();
  const own = purls.filter((purl) => parts.get(purl)?.location.includes('node_modules/') === false);
  const product = `pkg:npm/${name}@${version}`;
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: '',
    version: 1,
    metadata: {
      timestamp: committedAt,
      component: { type: 'application', 'bom-ref': product, name, version, purl: product },
    },
    components: purls.flatMap((purl) => {
      const part = parts.get(purl);
      return part === undefined ? [] : [componentOf(purl, part.location, part.entry)];
    }),
    dependencies: [
      { ref: product, dependsOn: own },
      ...purls.map((ref) => ({ ref, dependsOn: needs(lock, parts.get(ref)) })),
    ],
  };
  bom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bom))}`;
  return { json: `${JSON.stringify(bom, null, 2)}\n`, count: purls.length };
}

function componentOf(purl: string, location: string, entry: LockEntry): object {
  const [, sha512] = /^sha512-(\S+)$/.exec(entry.integrity ?? '') ?? [];
  const content = sha512 === undefined ? undefined : Buffer.from(sha512, 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': purl,
    name: nameOf(location, entry),
    version: entry.version,
    purl,
    ...(content === undefined ? {} : { hashes: [{ alg: 'SHA-512', content }] }),
    ...(typeof entry.license === 'string' ? { licenses: [{ expression: entry.license }] } : {}),
  };
}

function needs(lock: Lock, part: { readonly location: string; readonly entry: LockEntry } | undefined): string[] {
  if (part === undefined) return [];
  const found = neededBy(part.location, part.entry).flatMap(({ name }) => {
    const place = locate(lock, name, part.location);
    const entry = place === undefined ? undefined : lock.packages[place];
    const target = entry?.link === true ? entry.resolved : place;
    const needed = target === undefined ? undefined : lock.packages[target];
    return target === undefined || needed === undefined || needed.dev === true ? [] : [purlOf(target, needed)];
  });
  return [...new Set(found)].sort();
}

function nameOf(location: string, { name }: LockEntry): string {
  const marker = 'node_modules/';
  return name ?? location.slice(location.lastIndexOf(marker) + marker.length);
}

const purlOf = (location: string, entry: LockEntry) =>
  `pkg:npm/${nameOf(location, entry).replace('@', '%40')}@${entry.version}`;

/** RFC 9562 version 8: a hash of ours in the shape of a UUID. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
