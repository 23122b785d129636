// Builds what the wallet signs from an acceptance, by the rules of the client flow: domain from `extra`, verifying
// contract = asset else payTo, primary type by the hint, valid from a day ago until the acceptance's window ends.
import { chainIdOf, parseNetwork } from '../network/network.ts';
import type { Acceptance } from '../wire/acceptance.ts';
import { type Authorization, authorization } from '../wire/payment-header.ts';
import { type Hex, type TypedData, typedData } from './typed-data.ts';

const VALID_AFTER_AGE_SECONDS = 86_400;
const DEFAULT_WINDOW_SECONDS = 300;

export type SignRequest = {
  readonly acceptance: Acceptance;
  readonly payer: string;
  /** 32 random bytes, or the token's `nonces(owner)` as a 32-byte word for a Permit. */
  readonly nonce: string;
  readonly nowSeconds: number;
};

export type SignableRequest =
  | {
      readonly ok: true;
      readonly typedData: TypedData;
      /**
       * Authorization for the header; for a Permit `from` is the owner, `to` the spender, `validBefore` the deadline.
       */
      readonly authorization: Authorization;
    }
  | { readonly ok: false; readonly code: 'network_not_evm' | 'domain_incomplete' | 'field_malformed' };

export function buildSignRequest({ acceptance, payer, nonce, nowSeconds }: SignRequest): SignableRequest {
  const network = parseNetwork(acceptance.network);
  const chainId = network === undefined ? undefined : chainIdOf(network);
  if (chainId === undefined) return { ok: false, code: 'network_not_evm' };
  const { name, eip3009Version: version, primaryType } = acceptance.extra ?? {};
  if (name === undefined || version === undefined) return { ok: false, code: 'domain_incomplete' };

  const parsed = authorization.safeParse({
    from: payer,
    to: acceptance.payTo,
    value: acceptance.maxAmountRequired,
    validAfter: String(nowSeconds - VALID_AFTER_AGE_SECONDS),
    validBefore: String(nowSeconds + (acceptance.maxTimeoutSeconds ?? DEFAULT_WINDOW_SECONDS)),
    nonce,
  });
  const verifyingContract = acceptance.asset ?? acceptance.payTo;
  if (!parsed.success || !/^0x[0-9a-fA-F]{40}$/.test(verifyingContract)) return { ok: false, code: 'field_malformed' };

  const domain = { name, version, chainId, verifyingContract: verifyingContract as Hex };
  const signed = parsed.data as Authorization & { from: Hex; to: Hex; nonce: Hex };
  return {
    ok: true,
    authorization: parsed.data,
    typedData:
      primaryType === 'Permit'
        ? typedData(domain, {
            primaryType,
            message: {
              owner: signed.from,
              spender: signed.to,
              value: signed.value,
              nonce: BigInt(signed.nonce).toString(),
              deadline: signed.validBefore,
            },
          })
        : typedData(domain, { primaryType: 'TransferWithAuthorization', message: signed }),
  };
}
