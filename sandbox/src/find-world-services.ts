import { findService } from '@svc-pay/runtime/process/find-service';

/** Throws a readable error if this checkout lacks a service. */
export function findWorldServices() {
  const found = (name: Parameters<typeof findService>[0]) => {
    const service = findService(name);
    if (service === undefined) throw new Error(`this checkout has no services/${name}`);
    return service;
  };
  return {
    payments: { api: found('api'), settlement: found('settlement'), webhooks: found('webhooks') },
    people: { admin: found('admin'), console: found('console') },
  };
}
