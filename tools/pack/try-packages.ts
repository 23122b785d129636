// Installs the packed packages into an empty project, as a stranger would, and uses them in every way that is promised.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { NPM_FLAGS, runTool } from '../release/run-tool.ts';
import {
  BUTTON,
  NAMES_BUTTON,
  PAY_FROM_ADDRESS,
  PAY_FROM_PACKAGE,
  PAYS,
  RECEIVE,
  RECEIVES,
  SELL,
  SELLS,
  TYPES,
} from './trial-programs.ts';

export type Trial = { readonly name: string; readonly problem: string | undefined };

export async function tryPackages(root: string, tarballs: readonly string[]): Promise<readonly Trial[]> {
  const project = mkdtempSync(path.join(tmpdir(), 'svc-pack-'));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    writeFileSync(path.join(project, file), text);
  };
  const prints = (file: string, expected: string): string | undefined => {
    const ran = runTool(project, 'node', [file]);
    if (!ran.ok) return ran.problem;
    return ran.output === expected ? undefined : `${file} printed ${JSON.stringify(ran.output)}`;
  };
  try {
    write('package.json', JSON.stringify({ name: 'empty', private: true, type: 'module' }));
    const installed = runTool(project, 'npm', ['install', ...NPM_FLAGS, '--no-audit', '--no-fund', ...tarballs]);
    if (!installed.ok) return [{ name: 'install', problem: installed.problem }];
    const listed = runTool(project, 'npm', ['ls', '--all', '--parseable', ...NPM_FLAGS]);
    const places = listed.ok ? listed.output.trim().split('\n').length - 1 : 0;

    write('pay.js', PAY_FROM_PACKAGE);
    write('receive.js', RECEIVE);
    write('button.js', BUTTON);
    write('sell.js', SELL);
    write('page/page.js', PAY_FROM_ADDRESS);
    copyFileSync(
      path.join(project, 'node_modules/@svc-pay/sdk/dist/svc-pay.js'),
      path.join(project, 'page/svc-pay.js'),
    );
    await build({
      root: project,
      configFile: false,
      logLevel: 'error',
      build: { outDir: 'built', minify: true, lib: { entry: 'pay.js', formats: ['es'], fileName: () => 'app.js' } },
    });
    return [
      { name: 'nothing else comes along', problem: places === tarballs.length ? undefined : `${places} packages` },
      { name: 'browser package from Node', problem: prints('pay.js', PAYS) },
      { name: 'server package from Node', problem: prints('receive.js', RECEIVES) },
      { name: 'button package from Node', problem: prints('button.js', NAMES_BUTTON) },
      { name: 'seller package from Node', problem: prints('sell.js', SELLS) },
      { name: 'through a Vite build', problem: prints('built/app.js', PAYS) },
      { name: 'as a module script by its address', problem: prints('page/page.js', PAYS) },
      { name: 'types, as Node resolves them', problem: typesProblem(root, project, 'nodenext') },
      { name: 'types, as a bundler resolves them', problem: typesProblem(root, project, 'bundler') },
    ];
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** With `skipLibCheck` off: our declarations are checked themselves. */
function typesProblem(root: string, project: string, moduleResolution: 'nodenext' | 'bundler'): string | undefined {
  writeFileSync(path.join(project, 'use.ts'), TYPES);
  const config = `tsconfig.${moduleResolution}.json`;
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution,
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
  };
  writeFileSync(path.join(project, config), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  const ran = runTool(project, 'tsc', ['-p', config, '--pretty', 'false']);
  return ran.ok ? undefined : ran.problem;
}
