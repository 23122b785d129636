// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev Shares of an amount in hundredths of a percent, always rounded down: the remainder is the merchant's.
library Shares {
    uint256 internal constant WHOLE_BPS = 10_000;

    function part(uint256 amount, uint256 bps) internal pure returns (uint256) {
        return amount * bps / WHOLE_BPS;
    }
}
