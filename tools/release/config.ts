// The environment of the release machine: tools of a release inherit it, less what belongs to the working tree.
export const releaseEnvironment = (): Readonly<NodeJS.ProcessEnv> => process.env;
