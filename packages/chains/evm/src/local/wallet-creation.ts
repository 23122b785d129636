// Creates the contract wallet of tests.
import { type Address, encodeDeployData, type Hex } from 'viem';
import { honestWalletAbi } from '../generated/honest-wallet-abi.ts';
import { honestWalletBytecode } from '../generated/honest-wallet-bytecode.ts';

/** Data of the transaction that deploys a contract wallet (ERC-1271) which accepts the signatures of `owner`. */
export const walletCreation = (owner: Address): Hex =>
  encodeDeployData({ abi: honestWalletAbi, bytecode: honestWalletBytecode, args: [owner] });
