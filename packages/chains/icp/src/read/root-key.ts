import { PUBLIC_ROOT_KEY } from '@svc-pay/core';

export const rootKeyBytes = (hex: string = PUBLIC_ROOT_KEY): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
