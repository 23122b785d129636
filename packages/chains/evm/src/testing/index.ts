// A real chain for tests: Anvil, an account per role, and a deployed processor with a mock of USDC.
export { type ChainOptions, type LocalChain, startChain } from '../local/start-chain.ts';
export { walletCreation } from '../local/wallet-creation.ts';
export {
  type ActivationSigners,
  activatePayout,
  TEST_INSTALLATION,
  type TestActivation,
} from './activate-payout.ts';
export { type LaneWorld, laneWorld, type WantedItem } from './lane-world.ts';
export { makeTokenOdd, type TokenOddity } from './odd-token.ts';
export { deployedWorld, type PlannedWorld, planWorld, TWO_DAYS_SECONDS } from './plan-world.ts';
export { type DeployedWorld, type HandSettled, type PaymentWish, settleByHand } from './settle-by-hand.ts';
export { type Anvil, startAnvil } from './start-anvil.ts';
