import { findService } from '@svc-pay/operator/dev';

/** Throws in words when this checkout lacks one. */
export function findWorldServices() {
  const found = (name: Parameters<typeof findService>[0]) => {
    const service = findService(name);
    if (service === undefined) throw new Error(`this checkout has no services/${name}`);
    return service;
  };
  return { api: found('api'), settlement: found('settlement'), webhooks: found('webhooks') };
}
