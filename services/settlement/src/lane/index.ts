// Lanes and who looks after what they sent, without what they stand on: the ports are given by whoever puts it together.
export { createReconciler } from '../watch/reconcile.ts';
export { createFinalityWatch } from '../watch/watch-finality.ts';
export { createLaneDrain } from './drain.ts';
