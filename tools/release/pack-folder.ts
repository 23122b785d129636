// `npm pack` of one folder, as it lies.
import { NPM_FLAGS, runTool } from './run-tool.ts';

type Packed = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly problem: string };

export function packFolder(root: string, folder: string, outDirectory: string): Packed {
  const argv = ['pack', folder, '--json', '--pack-destination', outDirectory];
  const packed = runTool(root, 'npm', [...argv, ...NPM_FLAGS]);
  return packed.ok ? { ok: true, file: packedFile(packed.output) } : packed;
}

/** npm 11 answers with a list; newer ones with an object keyed by package name. */
export function packedFile(json: string): string {
  const answer: Record<string, { filename: string }> = JSON.parse(json);
  const [entry] = Object.values(answer);
  if (entry === undefined) throw new Error('npm pack named no file');
  return entry.filename;
}
