export type { BoundaryFaults, QueryAsked } from './boundary/faults.ts';
export {
  type InstallOptions,
  type LocalInternetComputer,
  type LocalInternetComputerOptions,
  startLocalInternetComputer,
} from './start-local-internet-computer.ts';
