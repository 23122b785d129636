// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Roles} from "./Roles.sol";

/// @dev How much one key may move of one token. The running hour and the whole one before it count together, so no
/// sixty minutes, wherever they start, ever see more than the cap.
abstract contract HourlyCap is Roles {
    struct Spending {
        uint112 previous;
        uint112 current;
        uint32 hour;
    }

    mapping(address spender => mapping(address token => Spending)) private _spending;

    function spentRecently(address spender, address token) external view returns (uint256) {
        Spending memory spending = _rolled(spender, token);
        return uint256(spending.previous) + spending.current;
    }

    function _spend(address spender, address token, uint256 amount, uint256 cap) internal {
        Spending memory spending = _rolled(spender, token);
        uint256 attempted = amount + spending.previous + spending.current;
        if (attempted > cap) revert HourlyCapExceeded(spender, token, attempted, cap);
        // Fits: the sum is at most the cap, which has 104 bits.
        spending.current += uint112(amount);
        _spending[spender][token] = spending;
    }

    function _rolled(address spender, address token) private view returns (Spending memory spending) {
        spending = _spending[spender][token];
        uint32 hour = uint32(block.timestamp / 1 hours);
        if (hour == spending.hour) return spending;
        spending.previous = hour == spending.hour + 1 ? spending.current : 0;
        spending.current = 0;
        spending.hour = hour;
    }
}
