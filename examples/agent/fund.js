// Gives the agent's key ten dollars on the development chain, where anyone may mint.
import { createPublicClient, createWalletClient, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const { RPC_URL, TOKEN, PAYER_KEY } = process.env;
const transport = http(RPC_URL);
const [account] = await createWalletClient({ transport }).getAddresses();
const hash = await createWalletClient({ transport, account }).writeContract({
  address: TOKEN,
  abi: parseAbi(['function mint(address to, uint256 value)']),
  functionName: 'mint',
  args: [privateKeyToAccount(PAYER_KEY).address, 10_000_000n],
  chain: null,
});
const { status } = await createPublicClient({ transport, pollingInterval: 200 }).waitForTransactionReceipt({ hash });
console.log(status);
