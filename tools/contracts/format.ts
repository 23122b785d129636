// npm run contracts:format               formats the Solidity sources
// npm run contracts:format -- --check    fails when one is not formatted
import { forge } from './forge.ts';

process.exitCode = forge(['fmt', ...process.argv.slice(2)], { show: true }).exitCode;
