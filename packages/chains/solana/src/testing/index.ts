export { type Actors, drawActors, signAsWallet, signTextAsWallet } from './actors.ts';
export { createSolanaLaneWorld, type SolanaLaneWorld } from './lane-world.ts';
export { type LiteFaucet, openLiteFaucet } from './lite/lite-faucet.ts';
export { type LiteChain, startLiteChain } from './lite/start-lite-chain.ts';
export { moveAllSol } from './move-all-sol.ts';
export { signPayment } from './pay.ts';
export { queueText } from './queue-text.ts';
