// Webhook delivery without adapters: the caller supplies the ports.
export { createOpenSecrets, type OpenSecrets } from '../request/open-secrets.ts';
export type { SendRequest } from '../send/send-request.ts';
export { attemptDelivery } from './attempt-delivery.ts';
export { createDispatcher, type DispatcherDeps } from './dispatcher.ts';
export { createDeliveryDrain, wakeIdleShards } from './drain.ts';
export { createPace } from './endpoint-pace.ts';
export { createRecorder } from './recorder.ts';
