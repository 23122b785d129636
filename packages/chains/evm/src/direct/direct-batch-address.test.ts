import { expect, test } from 'vitest';
import { create2Address, saltOf } from '../admin/create2.ts';
import { directBatchBytecode } from '../generated/direct-batch-bytecode.ts';
import { DIRECT_BATCH_ADDRESS, DIRECT_BATCH_LABEL } from './direct-batch-address.ts';

test('the address is the one that the committed creation code has', () => {
  expect(DIRECT_BATCH_ADDRESS).toBe(create2Address(saltOf(DIRECT_BATCH_LABEL), directBatchBytecode));
});
