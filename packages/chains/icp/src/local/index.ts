// The local Internet Computer of tests, `npm run dev` and the sandbox.
export {};
