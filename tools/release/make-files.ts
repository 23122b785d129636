// Makes everything a release consists of, publishes nothing.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { artefactProblems, describeMachine } from './artefact-rules.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import type { BuiltImage, ImageOrder } from './image/build-image.ts';
import type { NpmTarball } from './image/inputs.ts';
import { imageBillOfMaterials } from './image-bill-of-materials.ts';
import { noticesOf } from './notices.ts';
import { packedFile, packFolder } from './pack-folder.ts';
import { provenanceStatement } from './provenance.ts';
import { publishableWorkspaces } from './publishable.ts';
import { NPM_FLAGS, runTool } from './run-tool.ts';

type Artifact = {
  readonly file: string;
  readonly about: string;
  readonly bytes: number;
  readonly sha256: string;
};

export type MadeFiles =
  | {
      readonly ok: true;
      readonly artifacts: readonly Artifact[];
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

type Parts = {
  /** Folders that were built to be packed as they are. */
  readonly staged?: readonly string[];
  /** Packages of others whose code is in those folders. */
  readonly bundled?: readonly NpmTarball[];
  readonly image?: BuiltImage | undefined;
};

type Order = ({ readonly ok: true } & ImageOrder) | { readonly ok: false; readonly problem: string };

/** What is released: HEAD, with the name and the version of the root manifest in it. Read it once and pass it on. */
export function readOrder(root: string): Order {
  const head = runTool(root, 'git', ['show', '--no-patch', '--format=%H %cI', 'HEAD']);
  if (!head.ok) return head;
  const [commit = '', committedAt = ''] = head.output.trim().split(' ');
  const manifest = runTool(root, 'git', ['show', `${commit}:package.json`]);
  if (!manifest.ok) return manifest;
  const { name, version } = JSON.parse(manifest.output) as ImageOrder;
  return { ok: true, name, version, commit, committedAt };
}

export function makeFiles(root: string, outDirectory: string, order: ImageOrder, parts: Parts = {}): MadeFiles {
  const { staged = [], bundled = [], image } = parts;
  rmSync(outDirectory, { recursive: true, force: true });
  mkdirSync(outDirectory, { recursive: true });
  const made: { file: string; about: string }[] = [];
  const notes: string[] = [];
  const write: Write = (file, about, content) => {
    writeFileSync(path.join(outDirectory, file), content);
    made.push({ file, about });
  };
  const problems = [
    ...packWorkspaces(root, outDirectory, staged, made, notes),
    ...archiveSource(root, outDirectory, order, made, notes),
    ...writePapers(root, order, write),
  ];
  if (image !== undefined) writeImage(image, order, write);
  if (problems.length > 0) return { ok: false, problems };

  const subjects = made.map(({ file, about }) => describe(outDirectory, file, about));
  const provenance = `${order.name}-${order.version}.provenance.json`;
  write(
    provenance,
    'what the files were made from, in-toto and SLSA',
    provenanceStatement(subjects, order, { image, bundled }),
  );
  const artifacts = made.map(({ file, about }) => describe(outDirectory, file, about));
  const names = artifacts.map(({ file }) => file);
  const forbidden = scanned(() => artefactProblems(outDirectory, names, describeMachine(root)));
  if (forbidden.length > 0) {
    rmSync(outDirectory, { recursive: true });
    return { ok: false, problems: forbidden };
  }
  // Last: a folder with sums is one that may be signed.
  const sums = artifacts.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join('');
  writeFileSync(path.join(outDirectory, 'SHA256SUMS'), sums);
  return { ok: true, artifacts, notes };
}

/** A file that can't be read is refused like one that holds what it must not. */
function scanned(scan: () => readonly string[]): readonly string[] {
  try {
    return scan();
  } catch (problem) {
    return [`a finished file cannot be read: ${problem instanceof Error ? problem.message : String(problem)}`];
  }
}

type Write = (file: string, about: string, content: string | Buffer) => void;
type Made = { file: string; about: string }[];

function packWorkspaces(root: string, out: string, staged: readonly string[], made: Made, notes: string[]): string[] {
  const problems: string[] = [];
  const workspaces = publishableWorkspaces(root);
  if (workspaces.length + staged.length === 0) notes.push('no package to pack: every workspace is private');
  for (const workspace of workspaces) {
    problems.push(...workspace.problems);
    const argv = ['pack', '--json', '--workspace', workspace.name, '--pack-destination', out];
    const packed = runTool(root, 'npm', [...argv, ...NPM_FLAGS]);
    if (packed.ok) made.push({ file: packedFile(packed.output), about: `npm package ${workspace.name}` });
    else problems.push(packed.problem);
  }
  for (const folder of staged) {
    const packed = packFolder(root, folder, out);
    if (packed.ok) made.push({ file: packed.file, about: 'npm package, built' });
    else problems.push(packed.problem);
  }
  return problems;
}

function archiveSource(root: string, out: string, order: ImageOrder, made: Made, notes: string[]): string[] {
  const { name, version, commit } = order;
  const short = commit.slice(0, 7);
  const dirty = runTool(root, 'git', ['status', '--porcelain']);
  if (dirty.ok && dirty.output !== '')
    notes.push(`source archive and image are of ${short}; uncommitted changes are not in it`);
  const source = `${name}-${version}-source.tar.gz`;
  const argv = ['archive', '--format=tar.gz', `--prefix=${name}-${version}/`, `--output=${path.resolve(out, source)}`];
  const archived = runTool(root, 'git', [...argv, commit]);
  if (!archived.ok) return [archived.problem];
  made.push({ file: source, about: `source, at ${short}` });
  return [];
}

function writePapers(root: string, order: ImageOrder, write: Write): readonly string[] {
  const { json, count } = billOfMaterials(root, order);
  write(`${order.name}-${order.version}.cdx.json`, `bill of materials, CycloneDX, components: ${count}`, json);
  const notices = noticesOf(root, `${order.name} ${order.version}`);
  if (!notices.ok) return notices.problems;
  write('THIRD-PARTY-NOTICES.txt', `licences of others, packages: ${notices.count}`, notices.text);
  return [];
}

function writeImage(image: BuiltImage, order: ImageOrder, write: Write): void {
  const stem = `${order.name}-${order.version}-linux-amd64`;
  write(`${stem}.oci.tar`, `image ${image.digest}`, image.archive);
  write(`${stem}.cdx.json`, 'bill of materials of the image, CycloneDX', imageBillOfMaterials(image, order));
  const lines = image.listing.map(({ path: file, bytes }) => `${String(bytes).padStart(10)}  ${file}\n`);
  write(`${stem}.contents.txt`, `every file of the image: ${lines.length}`, lines.join(''));
}

function describe(directory: string, file: string, about: string): Artifact {
  const content = readFileSync(path.join(directory, file));
  return { file, about, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}
