import { createFlood } from '../create-flood.ts';

export const floodFromThreeAddresses = createFlood({
  name: 'create flood, three addresses',
  addresses: 3,
  perSecond: 60,
  shop: 1,
});
