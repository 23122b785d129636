// Statements of the sandbox, which signs its visitor in to the console without a passkey. Nothing else imports them.
export { beginSandboxSession, renewSandboxChecks, seedSandboxPerson } from './console/sandbox-person.ts';
