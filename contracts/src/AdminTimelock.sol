// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

/// @title AdminTimelock
/// @notice Holds the processor's admin role: what it will do is visible on chain for `minDelay` seconds before.
/// @dev It has no admin of its own, so that its delay and its members change only through itself.
contract AdminTimelock is TimelockController {
    constructor(uint256 minDelay, address[] memory proposers, address[] memory executors)
        TimelockController(minDelay, proposers, executors, address(0))
    {}
}
