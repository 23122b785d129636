// Lane drain and reconciler without adapters: the caller supplies the ports.
export { createReconciler } from '../watch/reconcile.ts';
export { createLaneDrain } from './drain.ts';
