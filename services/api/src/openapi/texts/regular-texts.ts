// Ways to pay by transactions of the payer's own.
import { EXAMPLE_IDS, type FieldTexts } from './field-text.ts';

const PROCESSOR = '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF';
const WALLET = '0x6813Eb9362372EEF6200f3b1dbC3f819671cBA69';
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const NONCE = '0x737663646972000000000000000186ca9fc76417374aa880d4449a1f7f31ec59';
const AMOUNT = '1500000';
const REQUEST_URL = `https://pay.example.com/pay/solana/${EXAMPLE_IDS.intent}`;

export const REGULAR_TEXTS: FieldTexts = {
  regular: ['Ways to pay the same intent by transactions that the payer sends, one per token and chain'],
  'EvmProcessorOption.kind': ['Which way it is', 'evm_processor'],
  'EvmAuthorizationOption.kind': ['Which way it is', 'evm_authorization'],
  'SolanaPayOption.kind': ['Which way it is', 'solana_pay'],
  'EvmProcessorOption.token': ['Address of the token', TOKEN],
  'EvmAuthorizationOption.token': ['Address of the token', TOKEN],
  'SolanaPayOption.token': ['Mint of the token', MINT],
  'EvmProcessorOption.chainId': ['Chain id for the wallet', 84_532],
  'EvmAuthorizationOption.chainId': ['Chain id for the wallet', 84_532],
  'SolanaPayOption.network': ['Network of the token', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
  'EvmProcessorOption.requestedAmount': [
    'The whole that the intent asks for; only where parts of it arrived',
    '2000000',
  ],
  'EvmProcessorOption.paidAmount': ['Sum of the parts that arrived and count; only where there are any', '500000'],
  'EvmAuthorizationOption.requestedAmount': [
    'The whole that the intent asks for; only where parts of it arrived',
    '2000000',
  ],
  'EvmAuthorizationOption.paidAmount': ['Sum of the parts that arrived and count; only where there are any', '500000'],
  'SolanaPayOption.requestedAmount': ['The whole that the intent asks for; only where parts of it arrived', '2000000'],
  'SolanaPayOption.paidAmount': ['Sum of the parts that arrived and count; only where there are any', '500000'],
  'SolanaPayOption.tokenShortcode': ['Names a token on a chain', 'soldevnet_usdc'],
  approve: ['Call of the token that allows the exact amount; not needed where the allowance is high enough'],
  'approve.to': ['The token', TOKEN],
  'approve.link': [
    'EIP-681 link of this call',
    `ethereum:${TOKEN}@84532/approve?address=${PROCESSOR}&uint256=${AMOUNT}`,
  ],
  pay: ['Call of the processor that pays the intent'],
  'pay.to': ['The processor', PROCESSOR],
  'approve.data': ['Bytes of the call', '0x'],
  'pay.data': ['Bytes of the call', '0x'],
  'EvmProcessorOption.link': [
    'EIP-681 link of `pay`',
    `ethereum:${PROCESSOR}@84532/pay?address=${TOKEN}&uint64=100042&uint64=7&uint256=${AMOUNT}`,
  ],
  'SolanaPayOption.link': ['Link of the transaction request', `solana:${encodeURIComponent(REQUEST_URL)}`],
  transactionRequestUrl: ['Address in `link`: GET label and icon, POST the payer’s account', REQUEST_URL],
  label: ['Name of the merchant', 'Tea House'],
  icon: ['Image that the wallet shows', 'https://pay.example.com/assets/wallet-icon.svg'],
  'TransactionRequest.account': ['Wallet that signs and pays', 'BPFLoaderUpgradeab1e11111111111111111111111'],
  'RequestedTransaction.transaction': ['Base64 of the transaction, without its signature', 'AQAAAA=='],
  'RequestedTransaction.message': ['What is paid to whom', '12.50 USDC to Tea House'],
  'WalletRequestRefusal.error': ['Why, by its code', 'insufficient_funds'],
  'WalletRequestRefusal.message': ['Why, for the payer', 'The wallet does not hold enough of this token.'],
  typedData: ['What the payer signs, with his address as `message.from`'],
  'typedData.primaryType': ['Message that is signed', 'TransferWithAuthorization'],
  'typedData.types': ['Fields of the message and of the domain', {}],
  'typedData.message': ['The message without `from`'],
  domain: ['EIP-712 domain of the token'],
  'domain.chainId': ['Chain of the token', 84_532],
  'domain.version': ['Version of the domain', '2'],
  verifyingContract: ['The token', TOKEN],
  'message.to': ['The merchant’s wallet', WALLET],
  'message.value': ['Amount in the token’s smallest unit', AMOUNT],
  'message.validAfter': ['Valid after this time, Unix seconds', '0'],
  'message.validBefore': ['Valid before this time, Unix seconds', '1763210400'],
  'message.nonce': ['Nonce that commits to `terms`; a client computes it again before it signs', NONCE],
};
