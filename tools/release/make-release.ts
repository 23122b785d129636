// Makes the files of a release, unsigned, from the checkout and the packages in `root`.
import path from 'node:path';
import { buildPackages } from '../pack/build-packages.ts';
import { nodeProblem } from './check-node.ts';
import { checkProgram } from './check-program.ts';
import { type BuiltImage, buildImage, type ImageOrder } from './image/build-image.ts';
import { type MadeFiles, makeFiles, readOrder } from './make-files.ts';
import { releaseProblems } from './release-ready.ts';

type Wanted = {
  readonly root: string;
  readonly outDirectory: string;
  /** A dry run says what a real one would refuse, and goes on. */
  readonly form: 'dry' | 'real';
};

type Refused = { readonly ok: false; readonly problems: readonly string[] };
export type MadeRelease =
  | (Extract<MadeFiles, { ok: true }> & {
      readonly image: BuiltImage | undefined;
    })
  | Refused;

export async function makeRelease({ root, outDirectory, form }: Wanted): Promise<MadeRelease> {
  const order = readOrder(root);
  if (!order.ok) return refused([order.problem]);
  const unready = form === 'dry' ? [] : releaseProblems(root, order.commit);
  if (unready.length > 0) return refused(unready);
  const program = checkProgram(root, form === 'dry' ? 'if the compiler is here' : 'fetch the compiler');
  if (!program.ok) return refused([program.problem]);
  const built = await makeImage(root, order, form);
  if (!built.ok) return built;
  const { staged, bundled } = await buildPackages(root, path.join(root, '.cache/pack'));
  const made = makeFiles(root, outDirectory, order, { staged, bundled, image: built.image });
  if (!made.ok) return made;
  return { ...made, image: built.image, notes: [...made.notes, ...built.notes, program.note] };
}

type Image = { readonly ok: true; readonly image: BuiltImage | undefined; readonly notes: readonly string[] } | Refused;

/** A dry run without an input on this machine leaves the image out and says so. */
async function makeImage(root: string, order: ImageOrder, form: Wanted['form']): Promise<Image> {
  const built = await buildImage(root, order);
  if (!built.ok) {
    if (form === 'real' || built.cause === 'content') return refused(built.problems);
    return { ok: true, image: undefined, notes: built.problems.map((problem) => `image: skipped, ${problem}`) };
  }
  const otherNode = nodeProblem(built.image.node.programSha256);
  if (form === 'real' && otherNode !== undefined) return refused([otherNode]);
  const note = otherNode ?? `built by the pinned Node, sha256 ${built.image.node.programSha256}`;
  return { ok: true, image: built.image, notes: [note] };
}

const refused = (problems: readonly string[]): Refused => ({ ok: false, problems });
