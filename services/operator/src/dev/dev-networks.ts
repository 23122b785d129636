// Networks of the development world. There is no processor behind these addresses: intents are offered, nothing settles.
import type { OperatedNetwork } from '@svc-pay/config/networks';

const PROCESSOR = '0x5fc0000000000000000000000000000000000402';
export const DEV_MERCHANT = '0x5fc0000000000000000000000000000000000403';

const network = (rpcUrl: string): OperatedNetwork => ({
  processor: PROCESSOR,
  processorVersion: '1.3.0',
  ready: true,
  rpcUrls: [rpcUrl],
});

export const DEV_NETWORKS: Readonly<Record<string, OperatedNetwork>> = {
  'eip155:84532': network('https://sepolia.base.org'),
  'eip155:31337': network('http://127.0.0.1:8545'),
};
