import { settle } from './settle.ts';
import { supported } from './supported.ts';
import { verify } from './verify.ts';

/** Routes that stock x402 sellers call. */
export const FACILITATOR_ROUTES = [supported, verify, settle];
