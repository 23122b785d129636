// Ways to pay by transactions of the payer's own.
import { EXAMPLE_IDS, type FieldTexts } from './field-text.ts';

const PROCESSOR = '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF';
const WALLET = '0x6813Eb9362372EEF6200f3b1dbC3f819671cBA69';
const TOKEN = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const NONCE = '0x737663646972000000000000000186ca9fc76417374aa880d4449a1f7f31ec59';
const LEDGER = 'xevnm-gaaaa-aaaar-qafnq-cai';
const PRINCIPAL = 'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae';
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
  'Icrc1TransferOption.kind': ['Which way it is', 'icrc1_transfer'],
  'Icrc1TransferOption.network': ['Network of the token', 'icp:mainnet'],
  'Icrc1TransferOption.token': ['Canister id of the token’s ledger', LEDGER],
  'Icrc1TransferOption.tokenShortcode': ['Names a token on a chain', 'ic_ckusdc'],
  'Icrc1TransferOption.amount': ['Amount in the token’s smallest unit, without the ledger’s fee', AMOUNT],
  'Icrc1TransferOption.requestedAmount': [
    'The whole that the intent asks for; only where parts of it arrived',
    '2000000',
  ],
  'Icrc1TransferOption.paidAmount': ['Sum of the parts that arrived and count; only where there are any', '500000'],
  'Icrc1TransferOption.ledgerCanisterId': ['Canister that takes the transfer', LEDGER],
  'Icrc1TransferOption.to': ['Account of the merchant'],
  'to.owner': ['Principal of the merchant', PRINCIPAL],
  'to.subaccount': ['32 bytes in hex; null for the default subaccount', null],
  'to.text': ['The account in the textual form of ICRC-1', PRINCIPAL],
  'Icrc1TransferOption.memo': ['Bytes of the memo, by which the payment is found', '0x7376633a313030303432'],
  createdAtTime: ['`created_at_time` in nanoseconds, the same for each attempt', '1763208000000000000'],
  'Icrc1TransferOption.fee': [
    'Fee of the ledger, paid beside the amount; after `BadFee` use its `expected_fee`',
    '10000',
  ],
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
