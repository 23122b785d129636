// What a reader's own shell would have, although this runs inside npm and inside the suite runner.

const RUNNING = 'SVC_PAY_DOCS_RUN';

/** True inside a command that `docs:run` itself started: running the pages again there would never end. */
export const insideDocsRun = process.env[RUNNING] !== undefined;

/** The environment of a documented command: no variables of npm, no tools of node_modules on PATH, no colours. */
export function readerEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|FORCE_COLOR$|INIT_CWD$)/.test(name));
  const path = process.env['PATH']?.split(':').filter((folder) => !/node_modules\/|node-gyp-bin/.test(folder));
  return { ...Object.fromEntries(kept), PATH: path?.join(':'), NO_COLOR: '1', [RUNNING]: '1' };
}
