export { type ForgedTransfer, forgeTransfer } from './forge-transfer.ts';
export { uncheckCertificates } from './uncheck-certificates.ts';
