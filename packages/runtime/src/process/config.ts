/** The environment of a child process: that of this process with `changes`. */
export function environmentWith(changes: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...process.env, ...changes };
}
