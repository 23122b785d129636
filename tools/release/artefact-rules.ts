// What no file of a release may hold, looked for in the finished files: in every member of every archive, and in every
// paper. Files of others inside the image come from their tarballs by hash; `image-rules.ts` looks at those.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { debianMirror } from './image/config.ts';
import { readTar } from './image/tar.ts';
import { holdsPrivateKey, holdsTestKey } from './private-keys.ts';
import { runTool } from './run-tool.ts';

/** What would tell a reader about the machine that built a release, or send them to a server of its owner. */
export type Machine = { readonly folders: readonly string[]; readonly hosts: readonly string[] };

export function describeMachine(root: string): Machine {
  const registry = runTool(root, 'npm', ['config', 'get', 'registry', '--loglevel=error']);
  const addresses = [registry.ok ? registry.output.trim() : '', debianMirror() ?? ''];
  return {
    folders: [path.resolve(root), homedir()].filter((folder) => folder !== '/').map((folder) => `${folder}/`),
    hosts: addresses.flatMap((address) => (URL.canParse(address) ? [new URL(address).host] : [])),
  };
}

type Content = { readonly place: string; readonly data: Buffer };

const HOME_FOLDER = /(?<![\w.~-])\/(?:home|root|Users)\/[\w.-]+/;
const ZSTD_MAGIC = 0xfd_2f_b5_28;
const OF_OTHERS = /(?:^|\/)node_modules\/|^usr\/(?!bin\/svc)/;
/** A package that is published needs no other, and runs nothing where it is installed. */
const LEFT_OUT_OF_MANIFESTS = [
  'bundleDependencies',
  'bundledDependencies',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'scripts',
];

export function artefactProblems(directory: string, files: readonly string[], machine: Machine): string[] {
  return files.flatMap((file) => {
    const contents = contentsOf(file, readFileSync(path.join(directory, file)));
    return contents.flatMap((content) => [
      ...problemsOf(content, machine),
      ...(file.endsWith('.tgz') ? packageProblems(file, content) : []),
    ]);
  });
}

function contentsOf(file: string, data: Buffer): readonly Content[] {
  if (/\.(?:tgz|tar\.gz)$/.test(file)) return members(file, gunzipSync(data));
  return file.endsWith('.oci.tar') ? members(file, data).flatMap(layerMembers) : [{ place: file, data }];
}

function members(archive: string, tar: Buffer): Content[] {
  return readTar(tar).flatMap((entry) =>
    entry.kind === 'file' ? [{ place: `${archive}: ${entry.path}`, data: entry.data }] : [],
  );
}

function layerMembers(blob: Content): readonly Content[] {
  const isLayer = blob.data.length > 4 && blob.data.readUInt32LE(0) === ZSTD_MAGIC;
  if (!isLayer) return [blob];
  const [archive = ''] = blob.place.split(':');
  return members(archive, zstdDecompressSync(blob.data)).filter(
    ({ place }) => !OF_OTHERS.test(place.slice(archive.length + ': '.length)),
  );
}

function problemsOf({ place, data }: Content, { folders, hosts }: Machine): string[] {
  const text = data.toString('latin1');
  const problems: string[] = [];
  if (holdsPrivateKey(text) || holdsTestKey(text)) problems.push(`${place} holds a private key`);
  if (folders.some((folder) => text.includes(folder)) || HOME_FOLDER.test(text))
    problems.push(`${place} names a folder of a machine`);
  for (const host of hosts) if (text.includes(host)) problems.push(`${place} names the host ${host}`);
  return problems;
}

function packageProblems(file: string, { place, data }: Content): string[] {
  if (/\.test\.[cm]?[jt]s$|\/(?:testing|tests?)\//.test(place)) return [`${place} is a test`];
  if (place !== `${file}: package/package.json`) return [];
  const manifest = JSON.parse(data.toString('utf8')) as Readonly<Record<string, unknown>>;
  return LEFT_OUT_OF_MANIFESTS.filter((name) => name in manifest).map((name) => `${place} has ${name}`);
}
