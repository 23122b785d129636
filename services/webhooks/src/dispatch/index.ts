// Delivering without what it stands on: the ports are given by whoever puts it together.
export { createOpenSecrets, type OpenSecrets } from '../request/open-secrets.ts';
export type { SendRequest } from '../send/send-request.ts';
export { attemptDelivery } from './attempt-delivery.ts';
export { createDispatcher, type DispatcherParts } from './dispatcher.ts';
export { createDeliveryDrain, createLookout } from './drain.ts';
export { createPace } from './endpoint-pace.ts';
export { createRecorder } from './recorder.ts';
