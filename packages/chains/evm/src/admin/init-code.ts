// Creation code with constructor arguments. The same commit and plan give the same bytes.
import { type Address, encodeDeployData, type Hex } from 'viem';
import { adminTimelockAbi } from '../generated/admin-timelock-abi.ts';
import { adminTimelockBytecode } from '../generated/admin-timelock-bytecode.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { paymentProcessorBytecode } from '../generated/payment-processor-bytecode.ts';

/** The timelock is deployed without delay, so that the ceremony can set everything up; its last step sets the delay. */
export function timelockInitCode(council: readonly Address[]): Hex {
  return encodeDeployData({
    abi: adminTimelockAbi,
    bytecode: adminTimelockBytecode,
    args: [0n, [...council], [...council]],
  });
}

export function processorInitCode(timelock: Address, feeRecipient: Address): Hex {
  return encodeDeployData({
    abi: paymentProcessorAbi,
    bytecode: paymentProcessorBytecode,
    args: [timelock, feeRecipient],
  });
}
