// A release carries the Solana program as a binary: it must be what its source builds to.
import { isCompilerFetched } from '../../contracts/solana/build/compiler.ts';
import { runTool } from './run-tool.ts';

type Checked = { readonly ok: true; readonly note: string } | { readonly ok: false; readonly problem: string };

/** A dry run works offline: it leaves the check out when the compiler was not fetched before, and says so. */
export function checkProgram(root: string, compiler: 'fetch the compiler' | 'if the compiler is here'): Checked {
  if (compiler === 'if the compiler is here' && !isCompilerFetched(root))
    return { ok: true, note: 'the Solana program was not built again; to do so: npm run program:build -- --check' };
  const ran = runTool(root, process.execPath, ['contracts/solana/build/main.ts', '--check']);
  return ran.ok ? { ok: true, note: ran.output.trim() } : ran;
}
