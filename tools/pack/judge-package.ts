// What two careful readers say about a packed package: publint of its manifest, arethetypeswrong of its types.
import path from 'node:path';
import { publint } from 'publint';
import { runTool } from '../release/run-tool.ts';

export async function judgePackage(stageDirectory: string, tarball: string): Promise<readonly string[]> {
  const { messages } = await publint({ pkgDir: stageDirectory, level: 'warning', strict: true });
  const name = path.basename(tarball);
  // Only ES modules are published, so what CommonJS would make of them is left out.
  const types = runTool(path.dirname(tarball), 'attw', [
    tarball,
    '--profile',
    'esm-only',
    '--format',
    'ascii',
    '--no-emoji',
  ]);
  return [
    ...messages.map(({ code, path: place }) => `${name}: publint: ${code} at ${place.join('.')}`),
    ...(types.ok ? [] : [`${name}: arethetypeswrong: ${types.problem}`]),
  ];
}
