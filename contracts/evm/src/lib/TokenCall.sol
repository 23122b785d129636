// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IEIP3009} from "../interfaces/IAuthorizedToken.sol";
import {IPaymentEvents} from "../interfaces/IPaymentEvents.sol";

/// @dev Calls into tokens that cannot hurt the caller: bounded gas, bounded copies of what comes back.
library TokenCall {
    /// @dev Most bytes of revert data that are kept: an error text of up to 64 characters, whole.
    uint256 internal constant REASON_BYTES = 132;
    /// @dev What a call itself costs on top of the gas it passes on, with room for a cold account.
    uint256 private constant CALL_OVERHEAD = 10_000;
    /// @dev What asking for the state of an authorization may burn.
    uint256 private constant STATE_GAS = 50_000;

    /// @dev Reverts unless a call with `gasLimit` would really get that much (EIP-150 keeps a 64th back). Without it a
    /// caller who sends too little gas could make a sound transfer look refused.
    function requireGas(uint256 gasLimit) internal view {
        uint256 required = gasLimit + gasLimit / 63 + CALL_OVERHEAD;
        if (gasleft() < required) revert IPaymentEvents.NotEnoughGas(gasleft(), required);
    }

    /// @dev True if the token took the transfer: no revert, and either no return value or `true`.
    function tryTransfer(address token, uint256 gasLimit, address to, uint256 amount) internal returns (bool done) {
        bytes4 selector = IERC20.transfer.selector;
        assembly ("memory-safe") {
            let data := mload(0x40)
            mstore(data, selector)
            mstore(add(data, 0x04), shr(96, shl(96, to)))
            mstore(add(data, 0x24), amount)
            done := call(gasLimit, token, 0, data, 0x44, 0, 0x20)
            if done {
                let size := returndatasize()
                done := or(iszero(size), and(gt(size, 31), eq(mload(0), 1)))
            }
        }
    }

    /// @dev A call that may fail. Return values are ignored: what arrived is measured by balance.
    function tryCall(address token, uint256 gasLimit, bytes memory data)
        internal
        returns (bool done, bytes memory reason)
    {
        uint256 most = REASON_BYTES;
        assembly ("memory-safe") {
            done := call(gasLimit, token, 0, add(data, 0x20), mload(data), 0, 0)
            reason := 0x60
            if iszero(done) {
                let size := returndatasize()
                if gt(size, most) { size := most }
                reason := mload(0x40)
                mstore(reason, size)
                returndatacopy(add(reason, 0x20), 0, size)
                mstore(0x40, add(reason, add(0x20, and(add(size, 31), not(31)))))
            }
        }
    }

    /// @dev The token's word on an authorization; false when it has none.
    function authorizationUsed(address token, address from, bytes32 nonce) internal view returns (bool used) {
        requireGas(STATE_GAS);
        bytes4 selector = IEIP3009.authorizationState.selector;
        uint256 gasLimit = STATE_GAS;
        assembly ("memory-safe") {
            let data := mload(0x40)
            mstore(data, selector)
            mstore(add(data, 0x04), shr(96, shl(96, from)))
            mstore(add(data, 0x24), nonce)
            if staticcall(gasLimit, token, data, 0x44, 0, 0x20) {
                used := and(gt(returndatasize(), 31), eq(mload(0), 1))
            }
        }
    }

    /// @dev True if the token says that the account has less than `amount`.
    function isShort(address token, address account, uint256 amount) internal view returns (bool short) {
        requireGas(STATE_GAS);
        bytes4 selector = IERC20.balanceOf.selector;
        uint256 gasLimit = STATE_GAS;
        assembly ("memory-safe") {
            mstore(0, selector)
            mstore(0x04, shr(96, shl(96, account)))
            if staticcall(gasLimit, token, 0, 0x24, 0, 0x20) {
                short := and(gt(returndatasize(), 31), lt(mload(0), amount))
            }
        }
    }

    function balance(address token, address account) internal view returns (uint256) {
        return IERC20(token).balanceOf(account);
    }
}
