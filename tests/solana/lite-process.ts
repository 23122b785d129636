// A Solana chain in memory as a process of its own, which outlives whatever is killed around it: <slot time in ms>.
import { startLiteChain } from '@svc-pay/solana/testing';

const [slotTime = '400'] = process.argv.slice(2);
const chain = await startLiteChain({ slotTimeMs: Number.parseInt(slotTime, 10) });
console.log(JSON.stringify({ msg: 'listening', port: Number.parseInt(new URL(chain.rpcUrl).port, 10) }));
