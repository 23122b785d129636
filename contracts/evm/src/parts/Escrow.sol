// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TokenCall} from "../lib/TokenCall.sol";
import {Roles} from "./Roles.sol";

/// @dev A leg that cannot be delivered (a blocked recipient, say) must not undo a payment: it is kept for its owner.
abstract contract Escrow is Roles {
    /// @dev The legs of one call. `escrowed` is what they left here, which the closing balance must show.
    struct Legs {
        address token;
        uint256 callGas;
        uint256 escrowed;
    }

    mapping(address token => mapping(address account => uint256)) public owed;
    mapping(address token => uint256) public totalOwed;

    function withdraw(address token, address account) external nonReentrant {
        uint256 amount = owed[token][account];
        if (amount == 0) revert NothingOwed(token, account);
        owed[token][account] = 0;
        totalOwed[token] -= amount;
        emit EscrowWithdrawn(token, account, amount);
        uint256 before = TokenCall.balance(token, address(this));
        if (!TokenCall.tryTransfer(token, gasleft(), account, amount)) revert DeliveryFailed(token, account);
        _requireBalance(token, before - amount);
    }

    function surplus(address token) public view returns (uint256) {
        uint256 held = TokenCall.balance(token, address(this));
        uint256 kept = totalOwed[token];
        return held > kept ? held - kept : 0;
    }

    /// @return delivered false when the amount stays here for `to`.
    function _payLeg(Legs memory legs, address to, uint256 amount) internal returns (bool delivered) {
        if (amount == 0) return true;
        TokenCall.requireGas(legs.callGas);
        if (TokenCall.tryTransfer(legs.token, legs.callGas, to, amount)) return true;
        owed[legs.token][to] += amount;
        totalOwed[legs.token] += amount;
        legs.escrowed += amount;
        emit Escrowed(legs.token, to, amount);
    }

    /// @dev The one condition after every call that moves money: exactly what should lie here does. It catches tokens
    /// that take a fee, that move less than they say, or that say no and move anyway.
    function _requireBalance(address token, uint256 expected) internal view {
        uint256 actual = TokenCall.balance(token, address(this));
        if (actual != expected) revert BalanceMismatch(expected, actual);
    }
}
