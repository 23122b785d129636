// Shapes of the published x402 versions.
import type { FieldTexts } from './field-text.ts';

const PAYER = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';

export const X402_TEXTS: FieldTexts = {
  errorMessage: ['Our own code, and a sentence', 'insufficient_funds: The wallet does not hold enough of this token.'],
  errorReason: ['Published name of the error', 'insufficient_funds'],
  extensions: ['Extensions of x402; none', []],
  'X402SettleAnswer.extensions': ['Extensions of x402', {}],
  invalidMessage: ['Our own code, and a sentence', 'authorization_expired: The authorization has expired; sign again.'],
  invalidReason: ['Published name of the error', 'invalid_exact_evm_payload_authorization_valid_before'],
  isValid: ['The payment may be settled', true],
  kinds: ['Schemes and networks that the account can be paid on'],
  'X402Supported.extra': ['Tokens of the kind, and its fee payer on Solana', {}],
  outputSchema: ['Always absent here', null],
  paymentPayload: ['The payment as the buyer sent it'],
  'X402FacilitatorRequest.paymentRequirements': ['The requirements that the seller offered'],
  'X402ChallengeV1.x402Version': ['Version of x402', 1],
  'X402VerifyAnswer.payer': ['Wallet of the payer', PAYER],
  signers: ['Addresses that sign for the facilitator; none', {}],
  statusUrl: [
    'Where to ask again',
    'https://pay.example.com/sdk/public/payments/intents/pi_01k9z3v5w8q2r4s6t7x0y1abcd',
  ],
  success: ['The payment is settled', true],
  transaction: [
    'Transaction hash or Solana signature; empty until there is one',
    '0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b',
  ],
};
