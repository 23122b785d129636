// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PayoutHead, Split} from "../PaymentTypes.sol";

/// @dev An authorization nonce that commits to the terms: tag (48 bits) | attempt (16) | hash of the terms (192).
/// The payer signs the nonce, so neither operator nor registrar can redirect the payment. A nonce without the tag is
/// taken as random; a random one carries the tag by accident once in 2^48.
library BoundNonce {
    bytes6 internal constant TAG = "svcpay";

    function isBound(bytes32 nonce) internal pure returns (bool) {
        return bytes6(nonce) == TAG;
    }

    function attemptOf(bytes32 nonce) internal pure returns (uint16) {
        return uint16(uint256(nonce) >> 192);
    }

    function termsHash(address token, uint64 payoutId, PayoutHead memory head, Split[] memory splits)
        internal
        view
        returns (bytes32)
    {
        return keccak256(abi.encode(block.chainid, address(this), token, payoutId, head.merchant, head.feeBps, splits));
    }

    function derive(bytes32 terms, uint64 intentCode, uint16 attempt) internal pure returns (bytes32) {
        bytes32 commitment = keccak256(abi.encode(terms, intentCode, attempt)) >> 64;
        return bytes32(TAG) | bytes32(uint256(attempt) << 192) | commitment;
    }
}
