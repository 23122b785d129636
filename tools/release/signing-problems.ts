// What keeps the files of a folder from being signed: they are of another commit, or another Node would hold the key.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { nodeProblem } from './check-node.ts';
import { pinnedNode } from './image/inputs.ts';
import { readOrder } from './make-files.ts';
import { releaseProblems } from './release-ready.ts';

type Statement = {
  readonly predicate: {
    readonly buildDefinition: { readonly externalParameters: { readonly version: string; readonly commit: string } };
  };
};

/** Empty if the files are of HEAD, HEAD is ready for a release, and the pinned Node runs. */
export function signingProblems(root: string, directory: string, program = process.execPath): readonly string[] {
  const order = readOrder(root);
  if (!order.ok) return [order.problem];
  const { programSha256 } = pinnedNode(readFileSync(path.join(root, '.ci/with-node'), 'utf8'));
  const otherNode = nodeProblem(programSha256, program);
  return [
    ...(otherNode === undefined ? [] : [otherNode]),
    ...releaseProblems(root, order.commit),
    ...originProblems(path.join(directory, `${order.name}-${order.version}.provenance.json`), order),
  ];
}

function originProblems(file: string, order: { readonly version: string; readonly commit: string }): readonly string[] {
  const again = 'make the files again: npm run release -- --unsigned';
  if (!existsSync(file)) return [`${file} is missing: no files of version ${order.version} were made; ${again}`];
  const { predicate } = JSON.parse(readFileSync(file, 'utf8')) as Statement;
  const { version, commit } = predicate.buildDefinition.externalParameters;
  if (version === order.version && commit === order.commit) return [];
  const made = `${version} at ${commit.slice(0, 7)}`;
  return [`the files are of ${made}, and HEAD is ${order.version} at ${order.commit.slice(0, 7)}; ${again}`];
}
