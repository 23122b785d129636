// The development world for those who build on it: the sandbox.
export { EXIT_FAILED, EXIT_USAGE } from '../output/outcome.ts';
export { type Paint, paintFor } from '../output/paint.ts';
export { findService } from '../service/services.ts';
export { stopSignal } from '../service/stop-signal.ts';
export { choosePort } from './choose-port.ts';
export { createParts, type Parts } from './parts.ts';
export { secretKeyFileOf } from './secrets.ts';
export { startWorld, type World } from './start-world.ts';
export { createSteps, type Step } from './steps.ts';
