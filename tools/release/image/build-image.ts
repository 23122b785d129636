// The image of one commit. Its bytes follow from the commit and from pinned inputs: nothing of the working tree goes in, and of
// node_modules what the console's page was built with.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { builtConsolePage } from './console-page.ts';
import { imageProblems } from './image-rules.ts';
import { openInputs, type PinnedNode, pinnedNode } from './inputs.ts';
import { type InstalledPackage, installedPackages, type Lock } from './installed-packages.ts';
import { baseLayer, PROGRAMS, packagesLayer, sourcesLayer, USER_ID } from './layers.ts';
import { type Layer, type OciImage, writeOciImage } from './oci.ts';
import { readTar, type TarEntry } from './tar.ts';
import { type SourceFiles, traceSources } from './trace-sources.ts';

export type ImageOrder = {
  readonly name: string;
  readonly version: string;
  readonly commit: string;
  readonly committedAt: string;
};

export type BuiltImage = OciImage & {
  /** Its program is `usr/bin/node` of the image, with the pinned hash. */
  readonly node: PinnedNode;
  readonly packages: readonly InstalledPackage[];
  /** Every file of the image with its size. */
  readonly listing: readonly { readonly path: string; readonly bytes: number }[];
};

const MOST_BYTES = 90_000_000;

type Built =
  | { readonly ok: true; readonly image: BuiltImage }
  /** `inputs`: something is not on this machine. `content`: the image would hold what it must not. */
  | { readonly ok: false; readonly cause: 'inputs' | 'content'; readonly problems: readonly string[] };

export async function buildImage(root: string, order: ImageOrder): Promise<Built> {
  const sources = committedSources(root, order.commit);
  const trace = traceSources(sources, Object.values(PROGRAMS));
  const lock = JSON.parse(sources.get('package-lock.json')?.toString('utf8') ?? '{}') as Lock;
  const packages = installedPackages(lock, trace.imported);
  const node = pinnedNode(sources.get('.ci/with-node')?.toString('utf8') ?? '');
  // The compressor is Node's own: another version may write other bytes.
  if (process.versions.node !== node.version || process.platform !== 'linux' || process.arch !== 'x64')
    return refused(`the image is built by Node ${node.version} on Linux x64; this is Node ${process.versions.node}`);
  const inputs = await openInputs(root, [node, ...packages]);
  if (!inputs.ok) return { ok: false, cause: 'inputs', problems: inputs.problems };
  const page = builtConsolePage(root, order.commit);
  if (!page.ok) return { ok: false, cause: 'content', problems: [page.problem] };
  const layers: Layer[] = [
    { about: `Node ${node.version} and its libraries`, tar: baseLayer(inputs, node) },
    { about: `packages of others, ${packages.length}`, tar: packagesLayer(inputs, packages) },
    { about: `${order.name} ${order.version}`, tar: sourcesLayer(new Map([...sources, ...page.files]), trace) },
  ];
  const entries = layers.flatMap(({ tar }) => readTar(tar));
  const problems = [...imageProblems(entries, lock), ...programProblems(entries, node)];
  if (problems.length > 0) return { ok: false, cause: 'content', problems };
  const listing = entries.map((entry) => ({
    path: entry.kind === 'link' ? `${entry.path} -> ${entry.target}` : entry.path,
    bytes: entry.kind === 'file' ? entry.data.length : 0,
  }));
  const written = writeOciImage(layers, configOf(order));
  if (written.archive.length > MOST_BYTES)
    return {
      ok: false,
      cause: 'content',
      problems: [`the image has ${written.archive.length} bytes of ${MOST_BYTES}`],
    };
  return { ok: true, image: { ...written, node, packages, listing } };
}

/** The hash of the tarball vouches for the program; its own hash is what people can compare with another source. */
export function programProblems(entries: readonly TarEntry[], { programSha256 }: PinnedNode): string[] {
  const program = entries.find(({ path }) => path === 'usr/bin/node');
  const sha256 = program?.kind === 'file' ? createHash('sha256').update(program.data).digest('hex') : 'missing';
  if (sha256 === programSha256) return [];
  return [`usr/bin/node has the sha256 ${sha256}, and .ci/with-node pins ${programSha256}`];
}

const refused = (problem: string): Built => ({ ok: false, cause: 'inputs', problems: [problem] });

function committedSources(root: string, commit: string): SourceFiles {
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: root, maxBuffer: 1 << 30 });
  return new Map(readTar(archive).flatMap((entry) => (entry.kind === 'file' ? [[entry.path, entry.data]] : [])));
}

function configOf({ name, version, commit, committedAt }: ImageOrder) {
  const label = (key: string) => `org.opencontainers.image.${key}`;
  return {
    created: new Date(committedAt).toISOString(),
    reference: `${name}:${version}`,
    user: `${USER_ID}:${USER_ID}`,
    environment: ['PATH=/usr/bin', 'NODE_ENV=production'],
    // tini passes signals on and takes over orphans; Node as process 1 would ignore Ctrl-C until a handler is set.
    entrypoint: ['/usr/bin/tini', '--'],
    command: ['svc', '--help'],
    labels: {
      [label('title')]: name,
      [label('version')]: version,
      [label('revision')]: commit,
      [label('created')]: new Date(committedAt).toISOString(),
      [label('licenses')]: 'Apache-2.0',
    },
  };
}
