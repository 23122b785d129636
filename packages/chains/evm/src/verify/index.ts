// Reads only, for processes that verify and never send: no contract bytecode, no accounts.
export { createChainReads, type RpcUrls } from './chain-reads.ts';
