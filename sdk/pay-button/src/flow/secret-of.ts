import type { Settings } from '../settings/settings.ts';

/** What a call that follows an intent of the server needs beside its id. */
export const secretOf = (request: Settings['payment']['request']): { readonly clientSecret?: string } =>
  'clientSecret' in request ? { clientSecret: request.clientSecret } : {};
