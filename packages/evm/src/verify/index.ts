// The reading side alone, for processes that verify and never send: no contract code, no accounts.
export { gatherCalls } from '../rpc/gather-calls.ts';
export { createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
export { readPermitNonce } from './read-permit-nonce.ts';
export { uniquePartOf } from './unique-part.ts';
export { verifyOnChain } from './verify-on-chain.ts';
