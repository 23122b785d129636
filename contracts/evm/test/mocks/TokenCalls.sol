// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice Calls a token many times in one transaction and tells what the calls alone took, their own cost included.
contract TokenCalls {
    function run(address token, bytes[] calldata calls) external returns (uint256 used) {
        for (uint256 i; i < calls.length; ++i) {
            bytes memory data = calls[i];
            bool done;
            assembly {
                let before := gas()
                done := call(gas(), token, 0, add(data, 0x20), mload(data), 0, 0)
                used := add(used, sub(before, gas()))
            }
            require(done, "the token refused");
        }
    }
}
