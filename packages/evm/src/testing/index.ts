export { deployedWorld } from './plan-world.ts';
export { type Anvil, startAnvil } from './start-anvil.ts';
