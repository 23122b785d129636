// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice Keeps the hash of every call that it gets, and answers with nothing.
contract RecordingToken {
    bytes32[] public calls;

    fallback() external {
        calls.push(keccak256(msg.data));
    }
}
