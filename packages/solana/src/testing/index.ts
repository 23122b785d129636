export { type Actors, drawActors, signAsWallet } from './actors.ts';
export { type LiteChain, startLiteChain } from './lite/start-lite-chain.ts';
