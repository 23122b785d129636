// JavaScript of a package: our own packages and their two dependencies go in, Node's modules stay outside.
import path from 'node:path';
import { type OutputAsset, type OutputChunk, rolldown } from 'rolldown';

export type BundledCode = {
  /** Folders in node_modules whose code went in: their licences go along. */
  readonly borrowed: ReadonlySet<string>;
};

type BundleOptions = {
  readonly platform: 'browser' | 'node';
  readonly minify?: boolean;
  readonly external?: readonly string[];
};

export async function bundleCode(
  input: Readonly<Record<string, string>>,
  outDirectory: string,
  { platform, minify = false, external = [] }: BundleOptions,
): Promise<BundledCode> {
  const bundle = await rolldown({
    input: { ...input },
    platform,
    external: [/^node:/, ...external],
    // An import that can't be resolved would only be a warning, and whoever installs it would find out.
    onLog: (_, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({
    dir: outDirectory,
    format: 'esm',
    minify,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  return { borrowed: borrowedBy(output) };
}

export function borrowedBy(output: readonly (OutputChunk | OutputAsset)[]): Set<string> {
  const borrowed = new Set<string>();
  for (const chunk of output) {
    for (const module of chunk.type === 'chunk' ? chunk.moduleIds : []) {
      const [, found] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.split(path.sep).join('/')) ?? [];
      if (found !== undefined) borrowed.add(found);
    }
  }
  return borrowed;
}
