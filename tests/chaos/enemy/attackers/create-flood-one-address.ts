import { createFlood } from '../create-flood.ts';

export const floodFromOneAddress = createFlood({
  name: 'create flood, one address',
  addresses: 1,
  perSecond: 45,
  shop: 0,
});
