// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {MockUSDC} from "./MockUSDC.sol";

/// @notice Tokens that check signatures as USDC does and log, move or refuse otherwise. For tests of evidence.
contract OddUSDC is MockUSDC {
    enum Oddity {
        /// Keeps a hundredth of every transfer, in a transfer of its own.
        FeeOnTransfer,
        /// A used nonce does not revert, and moves nothing.
        UsedNonceWithoutRevert,
        /// Every second use moves nothing and logs no transfer.
        UseWithoutTransfer
    }

    address private constant FEES = address(0xfee);
    Oddity private immutable _oddity;
    bool private _moved;
    bool private _skip;

    constructor(Oddity oddity) MockUSDC(6) {
        _oddity = oddity;
    }

    function _useAuthorization(
        address from,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes32 structHash,
        bytes memory signature
    ) internal override {
        if (_oddity == Oddity.UsedNonceWithoutRevert && this.authorizationState(from, nonce)) {
            _skip = true;
            return;
        }
        super._useAuthorization(from, validAfter, validBefore, nonce, structHash, signature);
        if (_oddity == Oddity.UseWithoutTransfer) (_skip, _moved) = (_moved, !_moved);
    }

    function _transfer(address from, address to, uint256 value) internal override {
        if (_skip) {
            _skip = false;
            return;
        }
        if (_oddity != Oddity.FeeOnTransfer) return super._transfer(from, to, value);
        super._transfer(from, to, value - value / 100);
        super._transfer(from, FEES, value / 100);
    }
}
