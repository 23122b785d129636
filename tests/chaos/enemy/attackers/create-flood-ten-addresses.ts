import { createFlood } from '../create-flood.ts';

export const floodFromTenAddresses = createFlood({
  name: 'create flood, ten addresses',
  addresses: 10,
  perSecond: 70,
  shop: 2,
});
