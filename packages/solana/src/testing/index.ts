export { type Actors, drawActors, signAsWallet, signTextAsWallet } from './actors.ts';
export { createSolanaLaneWorld, type SolanaLaneWorld } from './lane-world.ts';
export { type LiteChain, startLiteChain } from './lite/start-lite-chain.ts';
export { queueText } from './queue-text.ts';
