import { deliveryStoreContract } from './delivery-store-contract.ts';
import { openMemoryDeliveries } from './memory-delivery-harness.ts';

deliveryStoreContract(async () => openMemoryDeliveries());
