// Reads only, for processes that verify and never send: no contract bytecode, no accounts.
export { createEvmPayments, type RpcUrls } from './evm-payments.ts';
