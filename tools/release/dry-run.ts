// Makes everything a release consists of, publishes nothing.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { billOfMaterials } from './bill-of-materials.ts';
import { noticesOf } from './notices.ts';
import { packedFile, packFolder } from './pack-folder.ts';
import { publishableWorkspaces } from './publishable.ts';
import { NPM_FLAGS, runTool } from './run-tool.ts';

type Artifact = {
  readonly file: string;
  readonly about: string;
  readonly bytes: number;
  readonly sha256: string;
};

type DryRun =
  | { readonly ok: true; readonly artifacts: readonly Artifact[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** `staged`: folders that were built to be packed as they are. */
export function dryRun(root: string, outDirectory: string, staged: readonly string[] = []): DryRun {
  const { name, version }: { name: string; version: string } = JSON.parse(
    readFileSync(path.join(root, 'package.json'), 'utf8'),
  );
  rmSync(outDirectory, { recursive: true, force: true });
  mkdirSync(outDirectory, { recursive: true });
  const made: { file: string; about: string }[] = [];
  const problems: string[] = [];
  const notes: string[] = [];
  const write = (file: string, about: string, text: string) => {
    writeFileSync(path.join(outDirectory, file), text);
    made.push({ file, about });
  };

  const head = runTool(root, 'git', ['show', '--no-patch', '--format=%h %cI', 'HEAD']);
  if (!head.ok) return { ok: false, problems: [head.problem] };
  const [commit = '', committedAt = ''] = head.output.trim().split(' ');
  const dirty = runTool(root, 'git', ['status', '--porcelain']);
  if (dirty.ok && dirty.output !== '')
    notes.push(`the source archive is of ${commit}; uncommitted changes are not in it`);

  const workspaces = publishableWorkspaces(root);
  if (workspaces.length + staged.length === 0) notes.push('no package to pack: every workspace is private');
  for (const workspace of workspaces) {
    problems.push(...workspace.problems);
    const argv = ['pack', '--json', '--workspace', workspace.name, '--pack-destination', outDirectory];
    const packed = runTool(root, 'npm', [...argv, ...NPM_FLAGS]);
    if (packed.ok) made.push({ file: packedFile(packed.output), about: `npm package ${workspace.name}` });
    else problems.push(packed.problem);
  }

  for (const folder of staged) {
    const packed = packFolder(root, folder, outDirectory);
    if (packed.ok) made.push({ file: packed.file, about: 'npm package, built' });
    else problems.push(packed.problem);
  }

  const source = `${name}-${version}-source.tar.gz`;
  const archiveArgv = ['archive', '--format=tar.gz', `--prefix=${name}-${version}/`];
  const archived = runTool(root, 'git', [...archiveArgv, `--output=${path.resolve(outDirectory, source)}`, 'HEAD']);
  if (archived.ok) made.push({ file: source, about: `what operators run, at ${commit}` });
  else problems.push(archived.problem);

  const bom = billOfMaterials(root, committedAt);
  if (bom.ok) write(`${name}-${version}.cdx.json`, `bill of materials, CycloneDX, components: ${bom.count}`, bom.json);
  else problems.push(bom.problem);

  const notices = noticesOf(root, `${name} ${version}`);
  if (notices.ok) write('THIRD-PARTY-NOTICES.txt', `licences of others, packages: ${notices.count}`, notices.text);
  else problems.push(...notices.problems);

  if (problems.length > 0) return { ok: false, problems };
  const artifacts = made.map(({ file, about }) => {
    const content = readFileSync(path.join(outDirectory, file));
    return { file, about, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  });
  const sums = artifacts.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join('');
  writeFileSync(path.join(outDirectory, 'SHA256SUMS'), sums);
  return { ok: true, artifacts, notes };
}
